"""The tests of wisen."""
