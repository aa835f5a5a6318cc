"""Settings of a node: what they are (`settings`), where they come from (`loading`), what must hold."""

from corvo.config.loading import SECRET, WITHOUT_MEANING, load
from corvo.config.settings import DURATION, Config, ConfigError, Setting, settings

__all__ = ["DURATION", "SECRET", "WITHOUT_MEANING", "Config", "ConfigError", "Setting", "load", "settings"]
