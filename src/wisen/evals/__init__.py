"""Measuring: what three sessions teach (`try`), and real transcripts played as hook calls."""
