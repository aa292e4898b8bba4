"""Calls an ASGI application in-process: no socket, no server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from starlette.types import ASGIApp, Message


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def call(
    app: ASGIApp,
    method: str,
    path: str,
    body: object = None,
    *,
    raw: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
) -> Answer:
    content = raw if raw is not None else (json.dumps(body).encode() if body is not None else b"")
    url = urlsplit(path)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": url.path,
        "raw_path": url.path.encode(),
        "root_path": "",
        "query_string": (urlencode(query) if query else url.query).encode(),
        "headers": [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()],
        "client": None,
        "server": None,
    }
    return asyncio.run(_call(app, scope, content))


async def _call(app: ASGIApp, scope: dict[str, Any], content: bytes) -> Answer:
    sent: list[Message] = []
    incoming = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> Message:
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = sent[0]
    headers = {k.decode(): v.decode() for k, v in start["headers"]}
    return Answer(start["status"], headers, b"".join(m.get("body", b"") for m in sent[1:]))
