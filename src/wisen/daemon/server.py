"""HTTP on the daemon's socket: answers this user's processes and nobody else's, and knows how long nobody asked."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from wisen.daemon.ear import Ear
from wisen.daemon.stop import Stop, nothing
from wisen.peer import is_ours

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

_GRACE_S: Final = 2  # for requests that run when the daemon stops; hooks have given up long before


class Activity:
    """Counts requests: how many run, and since when none does."""

    def __init__(self, asgi: ASGIApp) -> None:
        self._asgi = asgi
        self._running = 0
        self._last = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        self._running += 1
        try:
            await self._asgi(scope, receive, send)
        finally:
            self._running -= 1
            self._last = time.monotonic()

    @property
    def idle_s(self) -> float:
        """Seconds since the last request ended; 0 while one runs."""
        return 0.0 if self._running else time.monotonic() - self._last


class OwnUserProtocol(H11Protocol):
    """HTTP/1.1 with this user's processes; the file mode keeps others out, this is the second lock.

    The application finds an `Ear` in each request's state: it may ask whether its answer came through.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn narrows it
        """Hang up on a stranger before a byte is read."""
        self._ear = Ear()
        self.app_state = {**self.app_state, "ear": self._ear}
        super().connection_made(transport)
        if not is_ours(transport.get_extra_info("socket")):
            log.warning("stranger_refused")
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take what follows an answer that is to be confirmed for the client's word."""
        if self._ear.is_open:
            self._ear.hear(said=True)
        else:
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits for a word that none will come."""
        self._ear.hear(said=False)
        super().connection_lost(exc)


class _Server(uvicorn.Server):
    """Uvicorn's server, asleep between requests: its own loop wakes ten times a second, 0.3 % of a core."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        stop: Stop,
        reason: Callable[[], str],
        upkeep: Callable[[], None],
        tick_s: float,
    ) -> None:
        super().__init__(config)
        self._stop = stop
        self._reason = reason
        self._upkeep = upkeep
        self._tick_s = tick_s

    async def main_loop(self) -> None:
        """Return when there is a reason to stop."""
        woken = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._stop.wake = lambda: loop.call_soon_threadsafe(woken.set)
        while not self._reason():
            await asyncio.to_thread(self._upkeep)  # it reads the disk, and nobody is to wait for that
            with suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), self._tick_s)
        self._stop.wake = nothing

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Hear a signal; uvicorn takes them while it serves."""
        super().handle_exit(sig, frame)
        self._stop.ask()


def serve(
    listener: socket.socket,
    asgi: ASGIApp,
    *,
    stop: Stop,
    is_lost: Callable[[], str] = lambda: "",
    idle_exit_s: float = float("inf"),
    upkeep: Callable[[], None] = nothing,
    tick_s: float = 30.0,
) -> str:
    """Serve on a listening socket and return why that ended. Closes the socket.

    Every `tick_s` seconds `upkeep` is called in another thread, and reasons to end that nobody tells us are looked for:
    `is_lost` says why nobody can reach us or our files any more.
    """
    activity = Activity(asgi)

    def reason() -> str:
        if stop.is_asked:
            return stop.why
        if activity.idle_s > idle_exit_s:
            return f"idle for {idle_exit_s:g} s"
        return is_lost()

    config = uvicorn.Config(
        activity,
        http=OwnUserProtocol,
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    _Server(config, stop=stop, reason=reason, upkeep=upkeep, tick_s=tick_s).run(sockets=[listener])
    return reason() or "asked to"
