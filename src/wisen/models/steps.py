"""Which embedding models are tried, in which order? What the user has set -> steps, each of which makes its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed
from wisen.models import places
from wisen.models.places import ModelFiles
from wisen.ports import Embedder

AUTO, PACKAGED, ENDPOINT, HASHING, OFF = "auto", "packaged", "endpoint", "hashing", "off"
MODES: Final = (AUTO, PACKAGED, ENDPOINT, HASHING, OFF)
_NEEDED: Final = ("numpy", "onnxruntime", "tokenizers")
_ENDPOINT_PATIENCE: Final = 3  # what is wrong with a network passes; what is wrong with a file stays


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """What the user has set. `mode` is one of MODES: `auto` tries all steps, the others one, `off` none.

    `cache` is the directory of the user's model cache, `model_dir` one that the user names; None for none.
    """

    mode: str = AUTO
    model_dir: Path | None = None
    cache: Path | None = None
    url: str = ""
    model: str = ""
    key: str = ""
    idle_s: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A way to a model.

    `make` raises EmbeddingFailed, and ImportError where a library is missing. After `patience` failures the model is
    put out for a while. That one that `is_optional` has no model is nothing to tell.
    """

    name: str
    make: Callable[[], Embedder]
    patience: int = 1
    is_optional: bool = False


def steps_of(config: EmbeddingConfig) -> Sequence[Step]:
    """Return the steps of a configuration in their order. Nothing is read or imported for it."""
    mode = config.mode
    steps: list[Step] = []
    if mode == AUTO and config.model_dir is not None:
        steps.append(Step(name="named model", make=partial(_found, places.in_directory, config.model_dir)))
    if mode == AUTO and config.cache is not None:
        steps.append(Step(name="model cache", make=partial(_found, places.in_cache, config.cache), is_optional=True))
    if mode in {AUTO, PACKAGED}:
        steps.append(Step(name="packaged model", make=lambda: _loaded(places.packaged())))
    if mode in {AUTO, ENDPOINT} and config.url:
        steps.append(Step(name="endpoint", make=partial(_endpoint, config), patience=_ENDPOINT_PATIENCE))
    if mode in {AUTO, HASHING}:
        steps.append(Step(name="hashing", make=_hashing))
    return steps


def foreseen(config: EmbeddingConfig) -> Space | None:
    """Return the space of the packaged model where that is the one that will be loaded, as far as can be seen."""
    has_other = config.model_dir is not None or (config.cache is not None and places.cached(config.cache) is not None)
    if config.mode not in {AUTO, PACKAGED} or (config.mode == AUTO and has_other):
        return None
    if any(find_spec(name) is None for name in _NEEDED):
        return None
    try:
        found = places.packaged()
    except EmbeddingFailed:
        return None
    return Space(model=found.name, digest=found.digest, dimension=places.PACKAGED_DIMENSION)


def _found(place: Callable[[Path], ModelFiles], directory: Path) -> Embedder:
    return _loaded(place(directory))


def _loaded(found: ModelFiles) -> Embedder:
    from wisen.models.onnx import OnnxEmbedder  # noqa: PLC0415

    return OnnxEmbedder(found.model, found.tokenizer, name=found.name, digest=found.digest)


def _endpoint(config: EmbeddingConfig) -> Embedder:
    from wisen.models.endpoint import EndpointEmbedder  # noqa: PLC0415 - HTTP is for those who have one

    return EndpointEmbedder(config.url, model=config.model, key=config.key)


def _hashing() -> Embedder:
    from wisen.models.hashing import HashingEmbedder  # noqa: PLC0415

    return HashingEmbedder()
