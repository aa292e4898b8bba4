"""MCP over HTTP on 127.0.0.1, for clients that start no process: only where the setting `mcp_port` names a port.

The daemon's other routes are not here. Whoever asks needs the token of a harness, which lies in the state directory and
says whose memories are meant; a page in a browser is turned away by its origin. Nothing is kept between two requests:
there are no session ids, and a GET opens no stream, which both eras of the protocol allow.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import secrets
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from wisen.adapters.registry import transcript_readers
from wisen.daemon import mcp
from wisen.daemon.routes.call import Call, Services, answered, over_files
from wisen.daemon.routes.mcp import receive
from wisen.ownfiles import replace_file

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"
HEADER_MISMATCH: Final = -32020
_LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{40,100}")
_STATUS: Final[Mapping[int, int]] = {
    mcp.PARSE_ERROR: 400,
    mcp.INVALID_REQUEST: 400,
    mcp.UNSUPPORTED_VERSION: 400,
    HEADER_MISMATCH: 400,
}
_NAMED: Final = "tools/call"  # the one method of ours whose name stands in a header, too
_STOP_S: Final = 3.0


def token_file(state_dir: Path, harness: str) -> Path:
    """Return where the token of a harness is."""
    return state_dir / f"mcp-token-{harness}"


def tokens(state_dir: Path) -> dict[str, str]:
    """Return token -> harness, for every harness we speak; one that is missing or no token is made. Raises OSError."""
    found = {}
    for harness in transcript_readers():
        file = token_file(state_dir, harness)
        token = ""
        with suppress(FileNotFoundError, UnicodeDecodeError):
            token = file.read_text(encoding="ascii").strip()
        if not _TOKEN.fullmatch(token):
            token = secrets.token_urlsafe(32)
            replace_file(file, f"{token}\n".encode())
        found[token] = harness
    return found


class Endpoint:
    """The HTTP application."""

    def __init__(self, services: Services, harness_of: Mapping[str, str]) -> None:
        self._services = services
        self._harness_of = harness_of
        self.asgi = Starlette(routes=[Route(PATH, self._answer, methods=["POST", "GET", "DELETE"])])

    async def _answer(self, request: Request) -> Response:
        if not (_is_local(request.headers.get("host", "")) and _is_own(request.headers.get("origin"))):
            return _refused(403, "this server answers programs on this machine, and no pages of others")
        harness = self._harness(request.headers.get("authorization", ""))
        if not harness:
            return _refused(401, "the token is missing or wrong", {"www-authenticate": "Bearer"})
        if request.method != "POST":
            return Response(status_code=405, headers={"allow": "POST"})
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _refused(415, "the content type is not application/json")
        try:
            raw = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if raw is None:
            return _refused(413, f"the message has more than {mcp.LONGEST_MESSAGE} bytes")
        if (failure := _unlike(raw, request.headers)) is not None:
            return _told(failure)
        place = {"x-wisen-harness": harness, "x-wisen-cwd": request.headers.get("x-wisen-cwd", "")}
        return await run_in_threadpool(self._asked, raw, place)

    def _harness(self, said: str) -> str:
        """Return whose token was said; '' for none. Each is compared in the same time."""
        kind, _, token = said.partition(" ")
        given = token.strip().encode("utf-8", "replace")
        known = [whose for one, whose in self._harness_of.items() if hmac.compare_digest(one.encode(), given)]
        return known[0] if known and kind.lower() == "bearer" else ""

    def _asked(self, raw: bytes, place: Mapping[str, str]) -> Response:
        wisen = self._services.in_force.wisen
        call = Call(services=self._services, wisen=wisen, path={}, query={}, headers=place, raw=raw)
        response = answered(over_files(receive), call)
        if response.status_code == 204:  # noqa: PLR2004 - nothing to say
            return Response(status_code=202)
        if response.status_code == 200:  # noqa: PLR2004 - a JSON-RPC message, which may be an error
            response.status_code = _status(bytes(response.body), is_modern=_is_modern(raw))
        return response


def _is_local(host: str) -> bool:
    """Whether a Host header names this machine: a name that was bent to point here names another (DNS rebinding)."""
    with suppress(ValueError):
        return urlsplit(f"//{host}").hostname in _LOCAL
    return False


def _is_own(origin: str | None) -> bool:
    """Whether a request comes from no page, or from one of this machine."""
    if origin is None:
        return True
    with suppress(ValueError):
        return urlsplit(origin).hostname in _LOCAL
    return False


async def _body(request: Request) -> bytes | None:
    """Return the body, None for one that is too long."""
    found = b""
    async for chunk in request.stream():
        found += chunk
        if len(found) > mcp.LONGEST_MESSAGE:
            return None
    return found


def _message(raw: bytes) -> Mapping[str, Any]:
    try:
        said = msgspec.json.decode(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _meta(message: Mapping[str, Any]) -> Mapping[str, Any]:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def _is_modern(raw: bytes) -> bool:
    return mcp.VERSION_KEY in _meta(_message(raw))


def _unlike(raw: bytes, headers: Mapping[str, str]) -> mcp.Failure | None:
    """Return what the headers say otherwise than the message, or name a version that is not served."""
    message, said = _message(raw), headers.get("mcp-protocol-version")
    meta = _meta(message)
    if mcp.VERSION_KEY not in meta and said not in mcp.MODERN:
        if said is None or said in mcp.HANDSHAKE or message.get("method") == "initialize":
            return None
        data = {"supported": [*mcp.MODERN, *mcp.HANDSHAKE], "requested": said}
        return mcp.Failure(mcp.UNSUPPORTED_VERSION, "unsupported protocol version", data)
    wanted: dict[str, object] = {"mcp-protocol-version": meta.get(mcp.VERSION_KEY), "mcp-method": message.get("method")}
    params = message.get("params")
    if message.get("method") == _NAMED and isinstance(params, dict):
        wanted["mcp-name"] = params.get("name")
    wrong = [name for name, value in wanted.items() if headers.get(name) != value]
    if wrong:
        return mcp.Failure(HEADER_MISMATCH, f"the header {wrong[0]} does not say what the message says")
    return None


def _status(body: bytes, *, is_modern: bool) -> int:
    error = _message(body).get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if code == mcp.METHOD_NOT_FOUND and is_modern:
        return 404
    return _STATUS.get(code, 200) if isinstance(code, int) else 200


def _told(failure: mcp.Failure) -> Response:
    error = {"code": failure.code, "message": failure.message}
    error |= {} if failure.data is None else {"data": failure.data}
    content = msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})
    return Response(content, status_code=_STATUS[failure.code], media_type="application/json")


def _refused(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    content = {"jsonrpc": "2.0", "id": None, "error": {"code": mcp.INVALID_REQUEST, "message": message}}
    return Response(msgspec.json.encode(content), status_code=status, headers=headers, media_type="application/json")


# --- the listener -----------------------------------------------------------------------------------------------


class _Server(uvicorn.Server):
    """Uvicorn's server, asleep until it is to stop."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()

    async def main_loop(self) -> None:
        """Return when `end` was called."""
        self._loop = asyncio.get_running_loop()
        if not self.should_exit:
            await self._ended.wait()

    def end(self) -> None:
        """Have it stop; may be called from any thread."""
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ended.set)


class McpHttp:
    """The listener and its thread. `trouble` says why there is none, '' when there is or none is wanted."""

    def __init__(self) -> None:
        self.trouble = ""
        self.port = 0
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def start(self, services: Services, port: int, state_dir: Path) -> None:
        """Listen on a port of this machine. What can't be is told as a trouble: the daemon does without."""
        try:
            endpoint = Endpoint(services, tokens(state_dir))
            listener = socket.create_server((HOST, port))
        except OSError as error:
            self.trouble = f"MCP over HTTP is not served on {HOST}:{port}: {error.strerror or error}"
            log.warning("mcp_http_failed", extra={"error": self.trouble})
            return
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            endpoint.asgi, loop="asyncio", ws="none", lifespan="off", log_config=None, access_log=False,
            server_header=False, date_header=False, proxy_headers=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = _Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), daemon=True, name="mcp-http")
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None and self._thread is not None:
            self._server.end()
            self._thread.join(_STOP_S)
