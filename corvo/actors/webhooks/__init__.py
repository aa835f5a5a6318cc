"""Webhook deliveries: read dispatcher.py, then delivery_queue.py, sender.py and webhook_targets.py."""
