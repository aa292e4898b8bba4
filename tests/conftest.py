"""What holds for every test: the same examples everywhere, no deadline for them, and no repository from outside."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from wisen.models.chain import EmbeddingConfig

# `make test` gives everybody the same examples; HYPOTHESIS_PROFILE=explore looks for new ones and keeps what it finds.
settings.register_profile("wisen", deadline=None, max_examples=60, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "wisen"))


@pytest.fixture(autouse=True)
def _no_repository_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what git hands to its hooks: it would point every git command of a test at the caller's repository."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _no_model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test load an embedding model but those marked `model`: half a second and 150 MB for each daemon."""
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("WISEN_EMBEDDING", "off")
        monkeypatch.setattr("wisen.compose.embedding_of", lambda *_: EmbeddingConfig(mode="off"))
