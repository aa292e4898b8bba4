"""Chains of made-up steps, and a clock that a test turns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed
from wisen.models import chain as chains
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.models.fakes import FakeEmbedder
from wisen.models.steps import Step
from wisen.ports import Embedder, Embedding

OPEN: list[EmbedderChain] = []  # closed after each test
WAIT_S = 20.0  # longer than anything here takes


class Turned:
    """A clock in seconds."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


class Breaking:
    """A model that raises what it is told, if it is told any."""

    weight = 1.0

    def __init__(self, name: str = "breaking", raises: Exception | None = None) -> None:
        self.space = Space(model=name, digest="", dimension=64)
        self.raises = raises
        self._whole = FakeEmbedder(name=name)

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        if self.raises is not None:
            raise self.raises
        return self._whole.embed(texts)


class Held:
    """A model that embeds only when it is let."""

    weight = 1.0

    def __init__(self) -> None:
        self.space = Space(model="held", digest="", dimension=64)
        self.go = threading.Event()
        self._whole = FakeEmbedder()

    @property
    def asked(self) -> list[str]:
        return self._whole.asked

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        found = self._whole.embed(texts)
        assert self.go.wait(WAIT_S)
        return found


def gives(embedder: Embedder, name: str = "", **more: int | bool) -> Step:
    """Return a step that has this model."""
    return Step(name=name or embedder.space.model, make=lambda: embedder, **more)  # type: ignore[arg-type]


def refuses(name: str, error: Exception | None = None) -> Step:
    """Return a step that has none."""

    def make() -> Embedder:
        raise error or EmbeddingFailed("is not there")

    return Step(name=name, make=make)


def a_chain(
    monkeypatch: pytest.MonkeyPatch, *steps: Step, clock: Callable[[], float] | None = None, idle_s: float = 600.0
) -> EmbedderChain:
    """Return a chain of these steps."""
    monkeypatch.setattr(chains, "steps_of", lambda _: steps)
    chain = EmbedderChain(EmbeddingConfig(mode="hashing", idle_s=idle_s), monotonic=clock or Turned())
    OPEN.append(chain)
    return chain
