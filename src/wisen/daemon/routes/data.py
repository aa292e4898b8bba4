"""Memories out of wisen and in again: exports, imports, backups. What a file says reaches no model from here."""

from __future__ import annotations

from typing import Annotated

import msgspec

from wisen.core.graphids import graph_in_harness, parse_graph_id
from wisen.core.types import GraphId
from wisen.daemon.routes.call import EXCLUDED, Call, Handler, Reply, Where, scope_of, where_of
from wisen.engine.carry import How
from wisen.errors import Conflict, NotFound, UsageError

_MOST_LINES = 1000


class ImportBody(Where, frozen=True, kw_only=True):
    """Some numbered lines of a file; `graphs` are those its first line names."""

    lines: Annotated[tuple[tuple[int, str], ...], msgspec.Meta(max_length=_MOST_LINES)]
    graphs: tuple[str, ...] = ()
    into: str = ""
    review: bool = False
    dry_run: bool = False


def contents(call: Call) -> Reply:
    """Say what an export will hold: of the directory's own memories, of one graph, or of everything."""
    found = call.wisen.carry.contents(_graphs_of(call))
    identity = call.wisen.carry.identity(tuple(found.graphs))
    return Reply(
        content={
            "graphs": [{"graph": str(graph), "memories": count} for graph, count in found.graphs.items()],
            "lines": identity.lines,
            "problems": found.problems,
        }
    )


def _graphs_of(call: Call) -> tuple[GraphId, ...] | None:
    if call.query.get("all"):
        return None
    where = where_of(call)
    scope = scope_of(call, where)
    if scope.identity.write is not None:
        return (scope.identity.write,)
    if scope.identity.note == EXCLUDED:
        raise Conflict(f"{where.cwd} is excluded", hint="`wisen config get exclude` shows what else is")
    raise NotFound(
        f"{where.cwd or 'no directory'} is no repository with memories of its own",
        hint="`wisen export --all` takes everything; `--graph` one graph (`wisen status` lists them)",
    )


def page(call: Call) -> Reply:
    """Give the next lines of an export of one graph."""
    graph = parse_graph_id(call.query.get("graph", ""))
    found = call.wisen.carry.page(graph, after=call.query.get("after", ""), limit=call.number("limit", 500))
    return Reply(content={"lines": found.lines, "after": found.after})


def take_in(call: Call) -> Reply:
    """Take lines of an export in, or tell what would become of them."""
    body = call.body(ImportBody)
    if body.cwd and call.wisen.locator.is_excluded(body.cwd):
        raise Conflict(f"{body.cwd} is excluded", hint="`wisen config get exclude` shows what else is")
    into = _into(body) if body.into else None
    report = call.wisen.carry.take_in(body.lines, How(into=into, review=body.review, is_dry=body.dry_run))
    return Reply(
        content={
            "fates": {fate.value: count for fate, count in report.fates.items()},
            "identities": {fate.value: count for fate, count in report.identities.items()},
            "problems": [{"line": line, "what": what} for line, what in report.problems],
            "notes": dict(report.notes),
        }
    )


def _into(body: ImportBody) -> GraphId:
    """Return the graph that everything is to go into. Raises Refused for another harness's, UsageError for a mix."""
    into = parse_graph_id(body.into)
    graph_in_harness(into, body.harness)
    held = [graph for graph in body.graphs if parse_graph_id(graph).kind is into.kind]
    if len(held) > 1:
        raise UsageError(
            f"the file holds the memories of {len(held)} graphs, and they would be mixed up in {into}",
            hint="export one of them with `wisen export --graph`, and import that",
        )
    return into


def flush(call: Call) -> Reply:
    """Answer when everything is on disk, so that a copy of the files made now has it."""
    call.wisen.control.flush()
    return Reply(content={})


ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/v1/export", contents),
    ("GET", "/v1/export/page", page),
    ("POST", "/v1/import", take_in),
    ("POST", "/v1/flush", flush),
]
