"""From an HTTP request to a function and back: bodies are parsed once here, errors become problem+json."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wisen.adapters.registry import adapter
from wisen.compose import Wisen
from wisen.core.graphids import graph_in_harness, parse_graph_id
from wisen.core.nearness import near_graphs
from wisen.core.records import RepoIdentity, Standing
from wisen.core.types import GraphId
from wisen.daemon.ear import Ear
from wisen.daemon.embedding import EmbeddingThread
from wisen.daemon.in_force import Fixed, InForce
from wisen.daemon.jobs import Worker
from wisen.daemon.notices import Notices
from wisen.engine.locate import EXCLUDE_HINT, excluded_graph
from wisen.errors import Conflict, DaemonUnavailable, InvalidValue, NotFound, Refused, UsageError, WisenError

log = logging.getLogger(__name__)

DEFAULT_HARNESS = "claude-code"
EXCLUDED = "your settings exclude this directory: nothing is learned or recalled here"
Body = TypeVar("Body")


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the routes work with."""

    in_force: InForce | Fixed
    worker: Worker
    embedding: EmbeddingThread
    on_shutdown: Callable[[], None]
    started: float
    hears: Callable[[str], bool] = lambda _: True  # whether the hooks of a harness are to be heard
    notices: Notices = field(default_factory=Notices)
    mcp_trouble: Callable[[], str] = lambda: ""  # why MCP is not served over HTTP where that is wanted
    lost: Callable[[], str] = lambda: ""  # why our files are no longer those that others find, '' while they are


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request: its services, the engine as it is set now, path and query parameters, headers and raw body."""

    services: Services
    wisen: Wisen
    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    raw: bytes
    ear: Ear | None = None  # hears whether the client has got its answer out, where the server can

    def body(self, shape: type[Body]) -> Body:
        """Return the body as `shape`. Raises UsageError for what is no JSON, InvalidValue for a wrong field."""
        try:
            if b"\\ud" in self.raw.lower():
                return _with_any_directory(self.raw, shape)
            return msgspec.json.decode(self.raw or b"{}", type=shape)
        except msgspec.ValidationError as error:
            raise InvalidValue(str(error)) from error
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise UsageError(f"the body is not JSON: {error}") from error

    @property
    def is_by_agent(self) -> bool:
        """Whether an agent asks: it says so in the query, or in the body of what changes something.

        Raises as `body`: a word that can't be read is no leave.
        """
        if self.query.get("by_agent", "0") != "0":
            return True
        return bool(self.raw) and self.body(_Asker).by_agent

    def number(self, name: str, default: int) -> int:
        """Return a query parameter as a whole number of at least 1."""
        value = self.query.get(name, "")
        if not value:
            return default
        if not value.isdecimal() or not int(value):
            raise InvalidValue(f"{name} is {value!r}, not a whole number of at least 1")
        return int(value)


def _with_any_directory(raw: bytes, shape: type[Body]) -> Body:
    """Read a body in which `cwd` may hold bytes that are no UTF-8, as lone surrogates (PEP 383); no other field may."""
    said = json.loads(raw)
    for name, value in said.items() if isinstance(said, dict) else ():
        if name != "cwd" and not _is_text(value):
            raise InvalidValue(f"{name} is not text: some of its bytes are no UTF-8")
    return msgspec.convert(said, shape)


def _is_text(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Asker(msgspec.Struct, frozen=True, kw_only=True):
    """What every body may say of who asks."""

    by_agent: bool = False


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Which graphs a call is about: those a directory reads, or one by its id."""

    cwd: str = ""
    harness: str = DEFAULT_HARNESS
    graph: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The graphs a call may touch, in reading order, and the directory's identity if it names one."""

    harness: str
    graphs: tuple[GraphId, ...]
    identity: RepoIdentity


def where_of(call: Call) -> Where:
    """Return the place a query string names."""
    return Where(
        cwd=call.query.get("cwd", ""),
        harness=call.query.get("harness", "") or DEFAULT_HARNESS,
        graph=call.query.get("graph", ""),
    )


def scope_of(call: Call, where: Where, *, even_excluded: bool = False) -> Scope:
    """Return the graphs of a place.

    Raises NotFound for a harness we don't speak, what `graph_meant` raises, Refused for another's graph, and for that
    of an excluded directory unless it is asked for to be rid of it.
    """
    adapter(where.harness)
    if where.graph:
        graph = graph_meant(call, where.graph, where.harness)
        graph_in_harness(graph, where.harness)
        if not even_excluded and _is_hidden(call, where, graph):
            raise Refused(excluded_graph(graph), hint=EXCLUDE_HINT)
        identity = RepoIdentity(standing=Standing.NONE, write=graph, reads=(graph,))
        return Scope(harness=where.harness, graphs=(graph,), identity=identity)
    if not where.cwd:
        user = call.wisen.locator.user_graph(where.harness)
        return Scope(
            harness=where.harness, graphs=(user,), identity=RepoIdentity(standing=Standing.NONE, reads=(user,))
        )
    if call.wisen.locator.is_excluded(where.cwd):
        return Scope(harness=where.harness, graphs=(), identity=RepoIdentity(standing=Standing.NONE, note=EXCLUDED))
    identity = call.wisen.locator.locate(where.harness, where.cwd)
    return Scope(harness=where.harness, graphs=identity.reads, identity=identity)


def graph_meant(call: Call, text: str, harness: str) -> GraphId:
    """Return the graph that an id means, or the end of one: `github.com/acme/widgets`, `widgets`.

    Raises InvalidValue for what can't be an id, NotFound for the end of none, Conflict for that of several.
    """
    if "://" in text:
        return parse_graph_id(text)
    there = [graph for graph in call.wisen.graphs.graphs() if graph.harness == harness]
    found = [graph for graph in there if f"/{graph}".endswith(f"/{text}")]
    if not found:
        raise NotFound(f"there is no graph {text!r}", hint=_near(call, text, harness, there))
    if len(found) > 1:
        named = "" if call.is_by_agent else f": {', '.join(map(str, found))}"
        raise Conflict(f"{text!r} means {len(found)} graphs{named}", hint="type the whole id")
    return found[0]


def _near(call: Call, text: str, harness: str, there: Sequence[GraphId]) -> str:
    """Return where else to look; which other graphs there are is a person's to know, not an agent's."""
    near: Sequence[GraphId] = ()
    with suppress(InvalidValue):
        wanted = parse_graph_id(f"repo://{harness}/{text if '/' in text else f'any/{text}'}")
        hidden = call.wisen.locator.excluded_graphs()
        near = [graph for graph in near_graphs(wanted, there) if str(graph) not in hidden]
    if near and not call.is_by_agent:
        return f"did you mean {' or '.join(map(str, near))}?"
    return "`wisen graphs` lists them"


def _is_hidden(call: Call, where: Where, graph: GraphId) -> bool:
    """Whether a graph is known from excluded directories alone, and is not that of the place itself."""
    locator = call.wisen.locator
    if str(graph) not in locator.excluded_graphs():
        return False
    is_place = bool(where.cwd) and not locator.is_excluded(where.cwd)
    return not (is_place and graph in locator.locate(where.harness, where.cwd).reads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a handler answers: JSON-able content, or raw bytes."""

    content: object = None
    raw: bytes | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    afterwards: Callable[[], None] | None = None  # run once the answer is on its way


Handler = Callable[[Call], Reply]


def route(services: Services, method: str, path: str, handler: Handler) -> Route:
    """Return a Starlette route that runs a synchronous handler in a thread."""
    handler = handler if path in _OF_THE_PROCESS else over_files(handler)

    async def endpoint(request: Request) -> Response:
        call = Call(
            services=services,
            wisen=services.in_force.wisen,
            path={name: str(value) for name, value in request.path_params.items()},
            query=dict(parse_qsl(request.url.query, keep_blank_values=True, errors="surrogateescape")),
            headers=dict(request.headers),
            raw=await request.body(),
            ear=request.scope.get("state", {}).get("ear"),
        )
        return await run_in_threadpool(answered, handler, call)

    return Route(path, endpoint, methods=[method])


def over_files(handler: Handler) -> Handler:
    """Return a handler that answers only while the files it works on are the user's: not from what was deleted."""

    def answering(call: Call) -> Reply:
        _check_files(call)
        reply = handler(call)
        _check_files(call)  # before we say that something is kept
        return reply

    return answering


def _check_files(call: Call) -> None:
    if why := call.services.lost():
        log.error("files_lost", extra={"why": why})
        raise DaemonUnavailable(f"nothing was kept, and the daemon stops: {why}", hint="try again: it begins anew")


_OF_THE_PROCESS = frozenset({"/v1/health", "/v1/troubles", "/v1/shutdown"})


def answered(handler: Handler, call: Call) -> Response:
    """Run a handler; an error becomes problem+json. One of the four places where any exception is caught."""
    try:
        response = encoded(handler(call))
    except WisenError as error:
        return problem(error)
    except Exception:
        log.exception("route_failed")
        return problem(WisenError("wisen failed inside; the daemon's log has the details"))
    return response


def encoded(reply: Reply) -> Response:
    """Return a reply as a response. Names that are no UTF-8 (a branch, a directory) are shown with a mark in them."""
    after = BackgroundTask(reply.afterwards) if reply.afterwards else None
    if reply.status == HTTPStatus.NO_CONTENT:
        return Response(status_code=reply.status, headers=reply.headers, background=after)
    if reply.raw is not None:
        body = reply.raw
    else:
        try:
            body = msgspec.json.encode(reply.content)
        except UnicodeEncodeError:
            body = json.dumps(reply.content, ensure_ascii=False).encode("utf-8", "replace")
    kind = "application/json"
    return Response(body, status_code=reply.status, headers=reply.headers, media_type=kind, background=after)


def no_such_route(request: Request, error: Exception) -> Response:  # noqa: ARG001 - Starlette's signature
    """Answer a request for which there is no route in the same form as every other error."""
    return problem(
        NotFound(f"no route {request.method} {request.url.path}", hint="the daemon may be of another version")
    )


def problem(error: WisenError) -> Response:
    """Return an error as application/problem+json (RFC 9457) with its code and hint."""
    content: dict[str, Any] = {
        "type": f"wisen:{error.code}",
        "title": (type(error).__doc__ or "").strip().splitlines()[0],
        "status": error.http_status,
        "code": error.code,
        "detail": error.message,
        "hint": error.hint,
    }
    return Response(msgspec.json.encode(content), status_code=error.http_status, media_type="application/problem+json")
