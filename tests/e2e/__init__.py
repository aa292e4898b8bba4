"""End-to-end: the real Claude Code, driven by a scripted model on loopback."""
