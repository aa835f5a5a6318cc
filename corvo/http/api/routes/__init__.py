"""Handlers. Each decodes, stamps, submits or asks, and shapes the answer; none decides anything."""
