"""Domain values -> the JSON that the CLI and other clients see. The wire's field names live here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from typing import TypeAlias

from wisen.core.graphids import remote_urls_without_credentials
from wisen.core.pauses import Pause
from wisen.core.recalls import Hit, LeftOut
from wisen.core.records import JournalEntry, Receipt, RepoFacts, RepoIdentity
from wisen.core.shortids import short
from wisen.core.snippets import snippet
from wisen.core.types import EventRef, GraphId, Memory
from wisen.engine.batches import Step
from wisen.engine.deeds import Done
from wisen.engine.inspect import Heard
from wisen.engine.why_not import Answer
from wisen.state.sizes import Growth, Sizes

View = dict[str, object]
# Finds a memory that a receipt names; None for one that is gone, or not to be shown.
Lookup: TypeAlias = Callable[[GraphId, str], Memory | None]


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def memory_view(memory: Memory) -> View:
    """Return a memory in full."""
    return {
        "id": memory.memory_id,
        "short": memory.short_id,
        "graph": str(memory.graph),
        "kind": memory.kind.value,
        "category": memory.category,
        "title": memory.title,
        "text": memory.text,
        "why": memory.why,
        "how_to_apply": memory.how_to_apply,
        "tags": list(memory.tags),
        "source": memory.source.value if memory.source else None,
        "origin": memory.origin.value,
        "confidence": round(memory.confidence, 4),
        "support": memory.support,
        "status": memory.status.value,
        "visibility": memory.visibility.value,
        "pinned": memory.pinned,
        "snoozed_until": _time(memory.snoozed_until),
        "created_at": _time(memory.created_at),
        "authored_at": _time(memory.authored_at),
        "verified_at": _time(memory.verified_at),
        "last_used_at": _time(memory.last_used_at),
        "uses": memory.uses,
        "session_id": memory.session_id,
        "branch": memory.branch,
        "supersedes": list(memory.supersedes),
        "evidence": [_evidence_view(ref) for ref in memory.evidence],
    }


def _evidence_view(ref: EventRef) -> View:
    return {"event_id": ref.event_id, "session_id": ref.session_id, "at": _time(ref.at), "quote": ref.quote}


def entry_view(entry: JournalEntry, graph: GraphId, *, with_text: bool = True) -> View:
    """Return a journal entry; without texts where the caller must not be made to read them."""
    before, after = entry.before, entry.after
    return {
        "seq": entry.seq,
        "graph": str(graph),
        "memory_id": entry.memory_id,
        "short": short(entry.memory_id),
        "at": _time(entry.at),
        "actor": entry.actor.value,
        "action": entry.action,
        "reason": entry.reason,
        "before_text": before.text if before and with_text else None,
        "after_text": after.text if after and with_text else None,
        "before_status": before.status.value if before else None,
        "after_status": after.status.value if after else None,
        "snoozed_until": _time(after.snoozed_until) if after else None,
        "changed": _changed(entry),
        "undone_by": entry.undone_by,
        "batch": entry.batch,
    }


def _changed(entry: JournalEntry) -> list[str]:
    """Return the names of a memory's fields that a change gave another value."""
    before, after = entry.before, entry.after
    if before is None or after is None:
        return []
    return [field.name for field in fields(Memory) if getattr(before, field.name) != getattr(after, field.name)]


def done_view(done: Done) -> View:
    """Return what was done to a memory: its name, how it stands now and the change; never what it says."""
    memory, entry = done.memory, done.entry
    return {
        "memory_id": memory.memory_id,
        "short": memory.short_id,
        "graph": str(memory.graph),
        "status": memory.status.value,
        "pinned": memory.pinned,
        "snoozed_until": _time(memory.snoozed_until),
        "entry": entry_view(entry, memory.graph, with_text=False) if entry else None,
    }


def step_view(step: Step) -> View:
    """Return one change of a batch that was to be taken back, and what became of it."""
    return {
        "entry": entry_view(step.entry, step.graph),
        "undo": entry_view(step.undo, step.graph) if step.undo else None,
        "problem": step.problem,
        "hint": step.hint,
    }


def hit_view(hit: Hit) -> View:
    """Return a hit with its per-stage scores and reasons."""
    return {
        "memory": memory_view(hit.memory),
        "score": round(hit.score, 4),
        "stages": {name: round(value, 4) for name, value in hit.stages.items()},
        "reasons": list(hit.reasons),
    }


SNIPPET_CHARS = 150


def compact_view(hit: Hit) -> View:
    """Return a hit in a line: enough to choose by, and the id to ask for the whole with."""
    memory = hit.memory
    return {
        "id": memory.short_id,
        "title": memory.title,
        "score": round(hit.score, 2),
        "snippet": snippet(memory.text, hit.matched, SNIPPET_CHARS),
        "kind": memory.kind.value,
        "created_at": _time(memory.created_at),
        "authored_at": _time(memory.authored_at),
    }


def left_out_view(left: LeftOut, lookup: Lookup) -> View:
    """Return what was left out and why, with the memory's present text."""
    return {
        "memory_id": left.memory_id,
        "graph": str(left.graph),
        "reason": left.reason,
        "score": round(left.score, 4),
        **_named(lookup(left.graph, left.memory_id), left.memory_id),
    }


def _named(memory: Memory | None, memory_id: str) -> View:
    """A receipt holds ids only: the text is what the memory says now, or nothing if it was purged."""
    return {
        "short": short(memory_id),
        "text": memory.text if memory else None,
    }


def receipt_view(receipt: Receipt, lookup: Lookup) -> View:
    """Return a recall as it happened."""
    return {
        "receipt_id": receipt.receipt_id,
        "harness": receipt.harness,
        "session_id": receipt.session_id,
        "epoch": receipt.epoch,
        "at": _time(receipt.at),
        "trigger": receipt.trigger.value,
        "event_id": receipt.event_id,
        "graphs": [str(graph) for graph in receipt.graphs],
        "query": receipt.query,
        "shown": [
            {
                "memory_id": item.memory_id,
                "graph": str(item.graph),
                **_named(lookup(item.graph, item.memory_id), item.memory_id),
                "score": round(item.score, 4),
                "chars": item.chars,
                "reasons": list(item.reasons),
            }
            for item in receipt.shown
        ],
        "left_out": [left_out_view(left, lookup) for left in receipt.left_out],
        "chars": receipt.chars,
        "more": receipt.more,
        "degraded": receipt.degraded,
        "note": receipt.note,
    }


def heard_view(heard: Heard) -> View:
    """Return one sentence that was heard, and what became of it."""
    verdict = heard.verdict
    return {
        "at": _time(heard.at),
        "channel": heard.channel,
        "sentence": verdict.sentence,
        "emitted": verdict.emitted,
        "reason": verdict.reason,
        "rule": verdict.signal.rule if verdict.signal and verdict.emitted else None,
    }


def answer_view(answer: Answer) -> View:
    """Return what keeps one sentence from being a new memory."""
    return {
        "sentence": answer.sentence,
        "reason": answer.reason,
        "taken": answer.is_taken,
        "memory_id": answer.memory.memory_id if answer.memory else "",
        "text": answer.memory.text if answer.memory else "",
        "at": _time(answer.at),
        "session_id": answer.session_id,
    }


def identity_view(identity: RepoIdentity) -> View:
    """Return which graphs a directory writes and reads, and how sure that is."""
    return {
        "standing": identity.standing.value,
        "write": str(identity.write) if identity.write else None,
        "reads": [str(graph) for graph in identity.reads],
        "note": identity.note,
    }


def repo_view(identity: RepoIdentity, facts: RepoFacts) -> View:
    """Return an identity with the git facts behind it; URLs without credentials."""
    return identity_view(identity) | {
        "top": facts.top,
        "remotes": dict(remote_urls_without_credentials(facts.remotes)),
        "root": facts.root_commits[0] if facts.root_commits else "",
        "branch": facts.branch,
        "problem": facts.problem,
        "detail": facts.detail,
    }


def pause_view(pause: Pause) -> View:
    """Return a pause; an empty place is everywhere."""
    return {"place": pause.place, "graph": pause.graph, "since": _time(pause.since), "until": _time(pause.until)}


def sizes_view(taken: Sizes, grown: Growth | None) -> View:
    """Return the bytes on disk by part, and the growth as far as it is known."""
    growth = {"bytes_a_day": round(grown.bytes_a_day), "days": grown.days} if grown else None
    return {"total": taken.total, "parts": dict(taken.parts), "growth": growth}
