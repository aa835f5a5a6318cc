"""What goes on record of a request, and with which of its writes."""
