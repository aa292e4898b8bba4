"""A daemon process around an application of a few lines: `python -I tiny.py [VERSION]`, with WISEN_HOME set."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import __version__
from wisen.config import paths
from wisen.daemon.lifecycle import claim, live
from wisen.daemon.logfile import LogFile
from wisen.daemon.stop import Stop

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


class Tiny:
    """Answers health, shutdown and hooks; appends `closed` to a file when it is closed."""

    def __init__(self, version: str, home: Path, on_shutdown: Callable[[], None]) -> None:
        from starlette.applications import Starlette
        from starlette.routing import Route

        if "WISEN_TEST_FAIL_BUILD" in os.environ:
            raise RuntimeError("this one can't be built")
        self._version, self._home, self._on_shutdown = version, home, on_shutdown
        self.asgi = Starlette(
            routes=[
                Route("/v1/health", self._health),
                Route("/v1/shutdown", self._shutdown, methods=["POST"]),
                Route("/v1/hook/claude-code", self._hook, methods=["POST"]),
            ]
        )

    def close(self) -> None:
        """Leave a mark; fail when the test wants that."""
        with (self._home / "closed").open("a") as file:
            file.write(f"{self._version}\n")
        if "WISEN_TEST_FAIL_CLOSE" in os.environ:
            raise RuntimeError("this part does not close")

    async def _health(self, _: Request) -> Response:
        return _json({"version": self._version, "pid": os.getpid(), "ready": True, "protocol": 1})

    async def _shutdown(self, _: Request) -> Response:
        self._on_shutdown()
        return _json({})

    async def _hook(self, request: Request) -> Response:
        event = (await request.json())["hook_event_name"]
        said = f"process {os.getpid()}"
        return _json({"hookSpecificOutput": {"hookEventName": event, "additionalContext": said}})


def _json(content: dict[str, object]) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(content)


def main(version: str) -> int:
    """Run as a daemon of that version."""
    stop = Stop.on_signals()
    if number := os.environ.get("WISEN_TEST_SIGNAL"):
        os.kill(os.getpid(), int(number))
    where = paths(os.environ)
    where.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = LogFile(where.log_file)
    place = claim(where, stop=stop, version=version)
    home = where.config_file.parent
    with (home / "starts").open("a") as file:
        file.write(f"{version} {'won' if place else 'lost'}\n")
    if place:
        idle_exit_s = float(os.environ.get("WISEN_TEST_IDLE_S", "inf"))
        build = partial(Tiny, version, home)
        live(place, build, stop=stop, idle_exit_s=idle_exit_s, upkeep=log.keep_small, tick_s=0.1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else __version__))
