"""The daemon's application behind the command line, called in this process."""

from __future__ import annotations

from tests.daemon.asgi import call
from wisen.cli.app import JsonObject
from wisen.connection import error_of
from wisen.daemon.app import App


class Routes:
    """A way to the daemon's real routes; implements `wisen.cli.app.Daemon`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def call(self, method: str, path: str, body: JsonObject | None = None, timeout_s: float = 10) -> JsonObject:
        answer = call(self._app.asgi, method, path, body)
        if answer.status >= 400:
            raise error_of(answer.json)
        found: JsonObject = answer.json
        return found
