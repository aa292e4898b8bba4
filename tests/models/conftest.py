"""One loaded model for all tests of a process: it takes half a second and 150 MB."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.models.chains import OPEN

from wisen.models import places
from wisen.models.onnx import OnnxEmbedder


@pytest.fixture(scope="session")
def encoder() -> OnnxEmbedder:
    """The packaged model."""
    found = places.packaged()
    return OnnxEmbedder(found.model, found.tokenizer, name=found.name, digest=found.digest)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()
