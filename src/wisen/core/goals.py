"""Is the goal of some steps worth saying beside them? Not where the steps name the call that they are for."""

from __future__ import annotations


def said_before(title: str, text: str) -> str:
    """Return what goes before the steps, `Running the tests: `; empty where they hold the code that the title names."""
    parts = title.split("`")
    is_said = len(parts) > 2 and all(f"`{code}`" in text for code in parts[1::2])  # noqa: PLR2004 -- a pair of ticks
    return f"{title}: " if title and not is_said else ""
