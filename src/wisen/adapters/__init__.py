"""Harness JSON to core types and back: the only place that knows a harness's field names."""
