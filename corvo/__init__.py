"""Corvo: a language-agnostic job server with its own storage, consensus and web UI."""

__version__ = "0.1.0"
