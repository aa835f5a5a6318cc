"""Attacks on a node: floods and hostile inputs, and what a healthy client notices of them."""
