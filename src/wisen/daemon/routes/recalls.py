"""Recall for people, and the receipts of what agents were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from wisen.core.recalls import By, Hit, Recalled, RecallTrigger
from wisen.core.types import GraphId, Memory, MemoryKind, Source
from wisen.daemon.routes.agents import is_shown, seen, veiled
from wisen.daemon.routes.call import Call, Handler, Reply, Where, scope_of, where_of
from wisen.daemon.routes.memories import near_names
from wisen.daemon.views import (
    Lookup,
    View,
    answer_view,
    compact_view,
    heard_view,
    hit_view,
    identity_view,
    left_out_view,
    receipt_view,
)

MOST_RECEIPTS = 1000


class RecallBody(Where, frozen=True, kw_only=True):
    """What to recall, for whom, through which filter."""

    query: str = ""
    trigger: RecallTrigger = RecallTrigger.MANUAL
    min_confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    sources: tuple[Source, ...] | None = None
    kinds: tuple[MemoryKind, ...] | None = None
    by: By = By.BOTH
    most: Annotated[int, msgspec.Meta(ge=1)] | None = None  # memories in the block
    limit: Annotated[int, msgspec.Meta(ge=1)] | None = None  # of the hits in the answer; the others count as more
    compact: bool = False  # a line for each hit; who wants more asks for that memory
    near: bool = False  # where nothing is found: name the graphs with nearly the same name


def recall(call: Call) -> Reply:
    """Recall without a session: nothing is counted as shown or used."""
    body = call.body(RecallBody)
    scope = scope_of(call, body)
    block, recalled = call.wisen.recall.ask(
        body.query,
        scope.identity,
        trigger=body.trigger,
        min_confidence=body.min_confidence,
        sources=frozenset(body.sources) if body.sources is not None else None,
        kinds=frozenset(body.kinds) if body.kinds is not None else None,
        by=body.by,
        most=body.most,
    )
    if body.compact:
        found = [hit for hit in recalled.hits if is_shown(call, hit.memory)]
        hits, more = _first(found, body.limit)
        views = [compact_view(hit) for hit in hits]
        return Reply(content={"hits": views, "more": more + recalled.more, "degraded": recalled.degraded})
    hits, more = _first(recalled.hits, body.limit)
    return Reply(
        content={
            "repo": identity_view(scope.identity),
            "block": block.text,
            "chars": block.chars,
            "hits": [hit_view(hit) | {"memory": seen(call, hit.memory)} for hit in hits],
            "more": more + recalled.more,
            "left_out": [left_out_view(left, _lookup(call)) for left in block.left_out],
            "model": _model(call, recalled),
            "degraded": recalled.degraded,
            "near": near_names(call, scope) if body.near and not recalled.hits else [],
        }
    )


def _first(hits: Sequence[Hit], limit: int | None) -> tuple[Sequence[Hit], int]:
    """Return so many of the hits, all without a limit, and how many are left out."""
    return hits[:limit], len(hits[limit:]) if limit else 0


def _model(call: Call, recalled: Recalled) -> str:
    """Return the model by whose vectors hits were compared with the query, '' where none was."""
    if not any("cosine" in hit.stages for hit in recalled.hits):
        return ""
    embedders = call.wisen.embedders
    return embedders.described() or str(embedders.space() or "")


def receipts(call: Call) -> Reply:
    """List what agents were given and why, newest first: of a session, or of a place."""
    where = where_of(call)
    session_id = call.query.get("session", "")
    # The first graph read is what tells places apart: the repository's own, or the user's where there is none.
    graph = None if session_id else next(iter(scope_of(call, where).graphs), None)
    if not session_id and graph is None:
        return Reply(content={"receipts": [], "more": 0})
    limit = call.number("limit", 20)
    found = call.wisen.inspect.receipts(harness=where.harness, session_id=session_id, graph=graph, limit=MOST_RECEIPTS)
    views = [receipt_view(receipt, _lookup(call)) for receipt in found[:limit]]
    return Reply(content={"receipts": views, "more": max(len(found) - limit, 0)})


def heard(call: Call) -> Reply:
    """Show what was heard in a session's prompts, and why most of it became nothing.

    An agent is not shown what was taken: it may wait for the user's word, or have been put away since.
    """
    where = where_of(call)
    scope = scope_of(call, where)
    session = call.wisen.inspect.session_at(
        where.harness, session_id=call.query.get("session", ""), graph=scope.identity.write
    )
    sentences = call.wisen.inspect.heard(session) if session else ()
    return Reply(
        content={
            "session_id": session.session_id if session else "",
            "started_at": session.started_at if session else None,
            "heard": [_heard(call, heard_view(sentence)) for sentence in sentences],
        }
    )


def why_not(call: Call) -> Reply:
    """Tell what keeps each sentence of a text from becoming a memory here. Changes nothing."""
    where = where_of(call)
    answers = call.wisen.why_not.answer(
        call.query.get("text", ""), harness=where.harness, cwd=where.cwd, identity=scope_of(call, where).identity
    )
    return Reply(content={"answers": [answer_view(answer) for answer in answers]})


def _heard(call: Call, view: View) -> View:
    return veiled(view) if call.is_by_agent and view["emitted"] else view


def _lookup(call: Call) -> Lookup:
    def shown(graph: GraphId, memory_id: str) -> Memory | None:
        memory = call.wisen.inspect.lookup(graph, memory_id)
        return memory if is_shown(call, memory) else None

    return shown


ROUTES: list[tuple[str, str, Handler]] = [
    ("POST", "/v1/recall", recall),
    ("GET", "/v1/receipts", receipts),
    ("GET", "/v1/heard", heard),
    ("GET", "/v1/why-not", why_not),
]
