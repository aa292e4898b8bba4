"""Where the measurement data lies: WISEN_SHARED, or a folder `shared` next to the checkout. Skipped without."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DEFAULT = Path(__file__).parents[3] / "shared"


def shared(*parts: str) -> Path:
    """Return a folder or file of the shared data, or skip the test."""
    path = Path(os.environ.get("WISEN_SHARED", DEFAULT)).joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no measurement data at {path}")
    return path
