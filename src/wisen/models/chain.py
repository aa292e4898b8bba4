"""The best embedding model there is, loaded when it is first wanted, let go when nobody wants it.

The steps, in order: a directory that the user names, the user's model cache, the packaged weights, a configured
endpoint, feature hashing; and where not even that works, nothing: then words alone have to do. `state` says which.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillWorking
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed, WisenError
from wisen.models import places
from wisen.models.places import ModelFiles
from wisen.ports import Embedder, Embedding

log = logging.getLogger(__name__)

AUTO, PACKAGED, ENDPOINT, HASHING, OFF = "auto", "packaged", "endpoint", "hashing", "off"
MODES: Final = (AUTO, PACKAGED, ENDPOINT, HASHING, OFF)
_KEPT_QUERIES: Final = 64
_PUT_OUT_S: Final = 300.0


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


_Step = tuple[str, Callable[[], Embedder]]


class EmbedderChain:
    """Implements `ports.Embedders`. Nothing is imported or read before the first call."""

    def __init__(self, config: EmbeddingConfig, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._monotonic = monotonic
        self._lock = threading.RLock()
        self._pool: ThreadPoolExecutor | None = None
        self._loading: Future[Embedder | None] | None = None
        self._embedder: Embedder | None = None
        self._step = ""
        self._refused: dict[str, str] = {}
        self._put_out: dict[str, float] = {}
        self._used_at = 0.0
        self._space: Space | None = None
        self._queries: OrderedDict[str, Embedding] = OrderedDict()
        self._timer: threading.Timer | None = None

    def space(self) -> Space | None:
        """Return the space of the model that would be used now; None where that is known only when it is loaded."""
        with self._lock:
            if self._space is None and self._is_packaged():
                with suppress(EmbeddingFailed):
                    found = places.packaged()
                    self._space = Space(model=found.name, digest=found.digest, dimension=places.PACKAGED_DIMENSION)
            return self._space

    def _is_packaged(self) -> bool:
        """Whether the packaged model is the first of the chain."""
        config = self._config
        if config.mode != AUTO:
            return config.mode == PACKAGED
        try:
            return config.model_dir is None and not (config.cache and places.in_cache(config.cache))
        except EmbeddingFailed:
            return True

    def now(self, *, within: float) -> Embedder | None:
        """Return the model, waiting at most so many seconds for it."""
        with self._lock:
            self._used_at = self._monotonic()
            if self._embedder is not None or self._config.mode == OFF:
                return self._embedder
            if self._loading is None:
                self._loading = self._workers().submit(self._load)
            loading = self._loading
        try:
            return loading.result(timeout=max(within, 0.0))
        except StillWorking:
            return None

    def query(self, text: str, *, within: float) -> tuple[Space, Embedding, float] | None:
        """Return what the model makes of a query, within so many seconds or not at all."""
        until = self._monotonic() + within
        embedder = self.now(within=within)
        if embedder is None:
            return None
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return embedder.space, known, embedder.weight
            working = self._workers().submit(embedder.embed, [text])
        try:
            [found] = working.result(timeout=max(until - self._monotonic(), 0.0))
        except StillWorking:
            return None
        except EmbeddingFailed as error:
            self.failed(embedder, error)
            return None
        with self._lock:
            if embedder is self._embedder:
                self._queries[text] = found
                if len(self._queries) > _KEPT_QUERIES:
                    self._queries.popitem(last=False)
        return embedder.space, found, embedder.weight

    def failed(self, embedder: Embedder, error: EmbeddingFailed) -> None:
        """Note that a model failed: the next step is tried, and this one not for five minutes."""
        log.warning("embedding_failed", extra={"step": self._step, "error": error.message})
        with self._lock:
            if embedder is self._embedder:
                self._put_out[self._step] = self._monotonic() + _PUT_OUT_S
                self._refused[self._step] = error.message
                self._let_go()

    def state(self) -> str:
        """Return which step is in use and why none before it; '' for the packaged or a named model without trouble."""
        with self._lock:
            if self._config.mode == OFF:
                return "switched off"
            why = "; ".join(f"{step}: {reason}" for step, reason in self._refused.items() if step not in _OPTIONAL)
            if self._embedder is None:
                return why or ("the model is loading" if self._loading is not None else "")
            return f"{self._step} ({why})" if why else ""

    def described(self) -> str:
        """Return the model in use as a person reads it, '' for none."""
        with self._lock:
            return f"{self._embedder.space} ({self._step})" if self._embedder is not None else ""

    def is_loaded(self) -> bool:
        """Whether a model is in memory."""
        with self._lock:
            return self._embedder is not None

    def release_if_idle(self) -> bool:
        """Let go of a model that was not used for as long as is configured; return whether it did."""
        with self._lock:
            if self._embedder is None:
                return False
            if (left := self._used_at + self._config.idle_s - self._monotonic()) > 0:
                self._look_again(left)
                return False
            self._let_go()
        _give_back_memory()
        return True

    def _look_again(self, after_s: float) -> None:
        """Ask in a while whether the model is still used: nothing wakes up for it before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(after_s, self.release_if_idle)
        self._timer.daemon = True
        self._timer.start()

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._let_go()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _let_go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._embedder = self._loading = None
        self._queries.clear()

    def _workers(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="wisen-model")
        return self._pool

    def _load(self) -> Embedder | None:
        """Return the first model of the chain that loads."""
        for step, make in self._steps():
            if self._put_out.get(step, 0.0) > self._monotonic():
                continue
            try:
                found = make()
            except ImportError as error:
                self._refused[step] = f"{error.name or error} is not installed"
            except WisenError as error:
                self._refused[step] = error.message
            except Exception as error:  # a step that breaks in a way of its own is no reason to try no other
                log.warning("embedding_step", extra={"step": step}, exc_info=True)
                self._refused[step] = f"{type(error).__name__}: {error}"
            else:
                with self._lock:
                    self._refused.pop(step, None)
                    self._embedder, self._step, self._space = found, step, found.space
                    self._loading = None
                    self._look_again(self._config.idle_s)
                log.info("embedding_model", extra={"step": step, "model": str(found.space)})
                return found
        with self._lock:
            self._space = None
        return None

    def _steps(self) -> Sequence[_Step]:
        config = self._config
        steps: list[_Step] = []
        if config.mode == AUTO and config.model_dir is not None:
            steps.append(("named model", lambda: _loaded(places.in_directory(config.model_dir or Path()))))
        if config.mode == AUTO and config.cache is not None:
            steps.append((_CACHE, lambda: _loaded(places.in_cache(config.cache or Path()))))
        if config.mode in {AUTO, PACKAGED}:
            steps.append(("packaged model", lambda: _loaded(places.packaged())))
        if config.url and config.mode in {AUTO, ENDPOINT}:
            steps.append(("endpoint", lambda: _endpoint(config)))
        if config.mode in {AUTO, HASHING}:
            steps.append(("hashing", _hashing))
        return steps


_CACHE: Final = "model cache"
_OPTIONAL: Final = frozenset({_CACHE})  # that it has no such model is nothing to tell


def _endpoint(config: EmbeddingConfig) -> Embedder:
    from wisen.models.endpoint import EndpointEmbedder  # noqa: PLC0415 - HTTP is for those who have one

    return EndpointEmbedder(config.url, model=config.model, key=config.key)


def _hashing() -> Embedder:
    from wisen.models.hashing import HashingEmbedder  # noqa: PLC0415

    return HashingEmbedder()


def _loaded(found: ModelFiles) -> Embedder:
    from wisen.models.onnx import OnnxEmbedder  # noqa: PLC0415

    return OnnxEmbedder(found.model, found.tokenizer, name=found.name, digest=found.digest)


def _give_back_memory() -> None:
    """Give what the model had back to the system, where the C library can."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
