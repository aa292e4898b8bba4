"""The best embedding model there is, loaded when it is first wanted, let go when nobody wants it.

The steps, in order: a directory that the user names, the user's model cache, the packaged weights, a configured
endpoint, feature hashing; and where not even that works, nothing: then words alone have to do. `state` says which.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from math import inf
from typing import Final, ParamSpec, TypeVar

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed, WisenError
from wisen.models.memory import give_back
from wisen.models.steps import MODES, OFF, EmbeddingConfig, Step, foreseen, steps_of
from wisen.ports import Embedder, Embedding

__all__ = ["MODES", "EmbedderChain", "EmbeddingConfig"]

log = logging.getLogger(__name__)

_KEPT_QUERIES: Final = 64
_PUT_OUT_S: Final = 300.0
_P = ParamSpec("_P")
_T = TypeVar("_T")


class EmbedderChain:
    """Implements `ports.Embedders`. Nothing is imported or read before the first call.

    No lock is held while a file is read or a model works, so that nobody waits longer than they said.
    """

    def __init__(self, config: EmbeddingConfig, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._monotonic = monotonic
        self._steps = steps_of(config)
        self._lock = threading.RLock()
        self._pool: ThreadPoolExecutor | None = None
        self._loading: Future[Embedder | None] | None = None
        self._embedder: Embedder | None = None
        self._at = len(self._steps)  # the step in use
        self._load_at = -inf  # when a step before that one is worth a try
        self._refused: dict[int, str] = {}
        self._put_out: dict[int, float] = {}  # until when
        self._failures: list[float] = []  # when the model in use has failed, since it last worked
        self._used_at = 0.0
        self._space: Space | None = None
        self._is_foreseen = False
        self._is_closed = False
        self._queries: OrderedDict[str, Embedding] = OrderedDict()
        self._timer: threading.Timer | None = None

    def space(self) -> Space | None:
        """Return the space of the model that would be used now; None where that is known only when it is loaded."""
        with self._lock:
            if self._space is not None or self._is_foreseen:
                return self._space
        found = foreseen(self._config)
        with self._lock:
            if self._embedder is None and not self._is_foreseen:
                self._space, self._is_foreseen = found, True
            return self._space

    def now(self, *, within: float) -> Embedder | None:
        """Return the model, waiting at most so many seconds for it."""
        with self._lock:
            self._used_at = self._monotonic()
            if self._loading is None and self._used_at >= self._load_at:
                self._loading = self._begun(self._load)
            if self._embedder is not None or self._loading is None:
                return self._embedder
            loading = self._loading
        with suppress(TimeoutError, CancelledError):
            return loading.result(timeout=max(within, 0.0))
        return None

    def query(self, text: str, *, within: float) -> tuple[Space, Embedding, float] | None:
        """Return what the model makes of a query, within so many seconds or not at all."""
        until = time.monotonic() + within
        embedder = self.now(within=within)
        if embedder is None:
            return None
        with self._lock:
            found = self._queries.get(text) if embedder is self._embedder else None
            if found is not None:
                self._queries.move_to_end(text)
                return embedder.space, found, embedder.weight
            working = self._begun(self._made, embedder, text)
        if working is None:
            return None
        with suppress(TimeoutError, CancelledError):
            found = working.result(timeout=max(until - time.monotonic(), 0.0))
        working.cancel()  # nobody waits for it any more, if it has not begun
        return (embedder.space, found, embedder.weight) if found is not None else None

    def _made(self, embedder: Embedder, text: str) -> Embedding | None:
        """Return the embedding of a query and remember it; None when the model failed, which is noted."""
        try:
            [found] = embedder.embed([text])
        except EmbeddingFailed as error:
            self.failed(embedder, error)
            return None
        except Exception as error:  # a model that breaks in a way of its own must not break recall
            log.warning("embedding_broke", exc_info=True)
            self.failed(embedder, EmbeddingFailed(f"{type(error).__name__}: {error}"))
            return None
        with self._lock:
            if embedder is self._embedder:
                self._failures.clear()
                self._queries[text] = found
                while len(self._queries) > _KEPT_QUERIES:
                    self._queries.popitem(last=False)
        return found

    def failed(self, embedder: Embedder, error: EmbeddingFailed) -> None:
        """Note that a model failed: the next step is tried, and this one not for five minutes.

        An endpoint is given up only after three failures within five minutes and nothing that worked between them:
        another model's vectors are of no use to it, and all would be made anew.
        """
        with self._lock:
            if embedder is not self._embedder:
                return
            now, step = self._monotonic(), self._steps[self._at]
            self._failures = [at for at in self._failures if at > now - _PUT_OUT_S] + [now]
            log.warning("embedding_failed", extra={"step": step.name, "error": error.message})
            if len(self._failures) < step.patience:
                return
            self._put_out[self._at] = now + _PUT_OUT_S
            self._refused[self._at] = error.message
            self._let_go()
            self._space = None

    def state(self) -> str:
        """Return which step is in use and why none before it; '' for the packaged or a named model without trouble."""
        with self._lock:
            if self._config.mode == OFF:
                return "switched off"
            told = [at for at in sorted(self._refused) if at < self._at and not self._steps[at].is_optional]
            why = "; ".join(f"{self._steps[at].name}: {self._refused[at]}" for at in told)
            if self._embedder is None:
                return why or ("the model is loading" if self._loading is not None else "")
            return f"{self._steps[self._at].name} ({why})" if why else ""

    def described(self) -> str:
        """Return the model in use as a person reads it, '' for none."""
        with self._lock:
            return f"{self._embedder.space} ({self._steps[self._at].name})" if self._embedder is not None else ""

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

    def close(self) -> None:
        """Let go of everything, also of what is still being loaded; from now on there is no model."""
        with self._lock:
            self._is_closed = True
            pool, self._pool = self._pool, None
            was_loaded = self._embedder is not None
            self._let_go()
            self._loading, self._load_at = None, inf
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        if was_loaded:
            _give_back_memory()

    def _let_go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._embedder = None
        self._at, self._load_at = len(self._steps), -inf
        self._failures.clear()
        self._queries.clear()

    def _look_again(self, after_s: float) -> None:
        """Ask in a while whether the model is still used: nothing wakes up for it before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(after_s, self.release_if_idle)
        self._timer.daemon = True
        self._timer.start()

    def _begun(self, work: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> Future[_T] | None:
        """Return work that has begun in the background, None where none can. The lock is held."""
        if self._is_closed or not self._steps:
            return None
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="wisen-model")
        with suppress(RuntimeError):  # the interpreter ends, or there are no more threads
            return self._pool.submit(work, *args, **named)
        return None

    def _load(self) -> Embedder | None:
        """Put the first model that loads of those before the one in use into its place, and return what is in use."""
        with self._lock:
            before = self._at
        found: Embedder | None = None
        at = -1
        while found is None and (at := at + 1) < before:
            if self._put_out.get(at, -inf) <= self._monotonic():
                found = self._tried(at, self._steps[at])
        give_back()  # a third of what loading takes is needed only for that
        with self._lock:
            if not self._is_closed:
                self._loading = None
                if found is not None and self._at == before:
                    self._take(found, at)
                self._load_at = self._monotonic() + _PUT_OUT_S if self._is_worth_another_try() else inf
            return self._embedder

    def _tried(self, at: int, step: Step) -> Embedder | None:
        """Return the model of a step, or None and why not, for `state`."""
        try:
            found = step.make()
        except ImportError as error:
            why = f"{error.name or error} is not installed"
        except WisenError as error:
            why = error.message
        except Exception as error:  # a step that breaks in a way of its own is no reason to try no other
            log.warning("embedding_step", extra={"step": step.name}, exc_info=True)
            why = f"{type(error).__name__}: {error}"
        else:
            with self._lock:
                self._refused.pop(at, None)
            return found
        with self._lock:
            self._refused[at] = why
        return None

    def _take(self, found: Embedder, at: int) -> None:
        self._let_go()
        self._embedder, self._at, self._space, self._is_foreseen = found, at, found.space, True
        self._look_again(self._config.idle_s)
        log.info("embedding_model", extra={"step": self._steps[at].name, "model": str(found.space)})

    def _is_worth_another_try(self) -> bool:
        """Whether a better step may be there later: a server that comes back, a file that is put into its place."""
        return any(at < self._at and not self._steps[at].is_optional for at in self._refused)


def _give_back_memory() -> None:
    gc.collect()
    give_back()
