"""Readers of the harnesses' own session files: streaming, tolerant, read-only."""
