"""Measuring: replay, datasets, metrics, reports."""
