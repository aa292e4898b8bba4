"""HTTP routes: a few lines each, calling the engine."""
