"""wisen: long-term memory for coding agents. This module holds the version and imports nothing."""

__version__ = "0.1.0"
