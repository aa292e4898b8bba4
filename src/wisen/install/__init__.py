"""Registering with a harness: plan, backup, byte-preserving edits, manifest, undo."""
