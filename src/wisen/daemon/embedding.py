"""The thread that gives memories their vectors. It sleeps while there is nothing to embed, and nobody waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from wisen.core.types import GraphId
from wisen.daemon.logfile import in_words, is_told, told
from wisen.daemon.notices import Trouble
from wisen.engine.embed import Embed

log = logging.getLogger(__name__)

_LOADING_S = 30.0  # a model that is not there by then is not coming: its state says why
_RETRY_S = 60.0


class EmbeddingThread:
    """Embeds whatever lacks a vector. `embed` gives the work under the settings of the moment."""

    def __init__(self, embed: Callable[[], Embed]) -> None:
        self._embed = embed
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._failed = ""
        self._changed: dict[GraphId, None] = {}  # in the order in which they changed
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="wisen-embed", daemon=True)

    def start(self) -> None:
        """Begin with what waits."""
        self._thread.start()

    def wake(self, graph: GraphId) -> None:
        """Say that something was written to a graph."""
        with self._lock:
            self._changed[graph] = None
        self._wake.set()

    def close(self) -> None:
        """Stop after the batch at hand."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def troubles(self) -> tuple[Trouble, ...]:
        """Return what keeps vectors from being made."""
        why = self._failed
        return (Trouble(kind="embedding", why=f"embedding fails: {why}", says=_SAYS),) if why else ()

    def _run(self) -> None:
        waits: float | None = 0.0  # at first: whatever an earlier daemon has left
        is_first = True
        while not self._stop.is_set():
            is_told = self._wake.wait(timeout=waits)
            self._wake.clear()
            waits = None
            if not self._stop.is_set() and (is_told or is_first or self._failed):
                waits = self._round(everything=is_first or bool(self._failed))
            is_first = False

    def _round(self, *, everything: bool) -> float | None:
        """Embed what there is, and return after how many seconds to look again; None: when something is written.

        Its edge, where any exception is caught: a thread that died would embed nothing any more.
        """
        try:
            embed = self._embed()
            for graph in (*self._taken(), *(embed.graphs() if everything else ())):
                while not self._stop.is_set() and embed.step(graph, within=_LOADING_S):
                    pass
        except Exception as error:
            log.warning("work_failed", extra={"work": "embedding", "error": told(error)}, exc_info=not is_told(error))
            self._failed = in_words(error)
            return _RETRY_S
        self._failed = ""
        return None

    def _taken(self) -> Sequence[GraphId]:
        with self._lock:
            taken, self._changed = tuple(self._changed), {}
        return taken


_SAYS = "finds by words only what has no vector yet"
