"""The thread that gives memories their vectors. It sleeps while there is nothing to embed, and nobody waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from wisen.daemon.logfile import in_words, is_told, told
from wisen.daemon.notices import Trouble
from wisen.engine.embed import Embed
from wisen.ports import Embedders

log = logging.getLogger(__name__)

_LOADING_S = 30.0  # a model that is not there by then is not coming: its state says why
_IDLE_LOOK_S = 60.0
_RETRY_S = 60.0


class EmbeddingThread:
    """Embeds whatever lacks a vector. `parts` gives the work and the models under the settings of the moment."""

    def __init__(self, parts: Callable[[], tuple[Embed, Embedders]]) -> None:
        self._parts = parts
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._failed = ""
        self._thread = threading.Thread(target=self._run, name="wisen-embed", daemon=True)

    def start(self) -> None:
        """Begin with what waits."""
        self._wake.set()
        self._thread.start()

    def wake(self) -> None:
        """Say that something was written."""
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
        waits: float | None = None
        while not self._stop.is_set():
            self._wake.wait(timeout=waits)
            self._wake.clear()
            if not self._stop.is_set():
                waits = self._round()

    def _round(self) -> float | None:
        """Embed all there is, and return after how many seconds to look again; None: when something is written.

        Its edge, where any exception is caught: a thread that died would embed nothing any more.
        """
        try:
            embed, embedders = self._parts()
            while not self._stop.is_set() and embed.step(within=_LOADING_S):
                pass
            self._failed = ""
            embedders.release_if_idle()
            return _IDLE_LOOK_S if embedders.is_loaded() else None
        except Exception as error:
            log.warning("work_failed", extra={"work": "embedding", "error": told(error)}, exc_info=not is_told(error))
            self._failed = in_words(error)
            return _RETRY_S


_SAYS = "finds by words only what has no vector yet"
