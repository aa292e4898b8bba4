"""Recall for people, and the receipts of what agents were given."""

from __future__ import annotations

from typing import Annotated

import msgspec

from wisen.core.types import MemoryKind, RecallTrigger, Source
from wisen.daemon.routes.call import Call, Handler, Reply, Where, scope_of, where_of
from wisen.daemon.views import hit_view, identity_view, left_out_view, receipt_view


class RecallBody(Where, frozen=True, kw_only=True):
    """What to recall, for whom, through which filter."""

    query: str = ""
    trigger: RecallTrigger = RecallTrigger.MANUAL
    min_confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    sources: tuple[Source, ...] | None = None
    kinds: tuple[MemoryKind, ...] | None = None


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
    )
    return Reply(
        content={
            "repo": identity_view(scope.identity),
            "block": block.text,
            "chars": block.chars,
            "hits": [hit_view(hit) for hit in recalled.hits],
            "left_out": [left_out_view(left, call.wisen.inspect) for left in block.left_out],
            "degraded": recalled.degraded,
        }
    )


def receipts(call: Call) -> Reply:
    """List what agents were given and why, newest first: of a session, of a repository, or of all."""
    where = where_of(call)
    session_id = call.query.get("session", "")
    graph = None
    if not session_id and (where.cwd or where.graph):
        graph = scope_of(call, where).identity.write
    found = call.wisen.inspect.receipts(
        harness=where.harness, session_id=session_id, graph=graph, limit=call.number("limit", 20)
    )
    return Reply(content={"receipts": [receipt_view(receipt, call.wisen.inspect) for receipt in found]})


ROUTES: list[tuple[str, str, Handler]] = [
    ("POST", "/v1/recall", recall),
    ("GET", "/v1/receipts", receipts),
]
