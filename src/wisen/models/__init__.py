"""Embedding models: the only place that knows how one is loaded and run. Importing it loads none."""
