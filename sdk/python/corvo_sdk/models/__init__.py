"""What the server says, as typed objects."""
