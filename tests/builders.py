"""Builders with keyword overrides: the shortest way to a valid value in a test."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from wisen.core.recalls import RecallTrigger
from wisen.core.records import Job, JobState, Receipt, Session
from wisen.core.types import (
    Event,
    EventBody,
    EventRef,
    GraphId,
    GraphKind,
    Memory,
    MemoryKind,
    Origin,
    PostTool,
    PreTool,
    PromptChannel,
    Signal,
    Source,
    ToolCall,
    UserPrompt,
)

T0 = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
_numbers = itertools.count(1)


class FrozenClock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, at: datetime = T0) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def advance(self, **delta: float) -> None:
        self.at += timedelta(**delta)


class CountingIds:
    """Ids that are ordered, unique and the same in every run."""

    def __init__(self) -> None:
        self._n = itertools.count(1)

    def new_id(self) -> str:
        n = next(self._n)
        return f"0193a000-0000-7000-8000-{n:012x}"

    def nonce(self) -> str:
        return f"nonce{next(self._n):03d}"


def a_graph(path: str = "acme/widgets", *, harness: str = "claude-code", host: str = "github.com") -> GraphId:
    return GraphId(kind=GraphKind.REPO, harness=harness, authority=host, path=path)


def a_user_graph(login: str = "dev", *, harness: str = "claude-code") -> GraphId:
    return GraphId(kind=GraphKind.USER, harness=harness, authority=login)


def an_event(body: EventBody | None = None, **over: Any) -> Event:
    n = next(_numbers)
    event = Event(
        event_id=f"event-{n}",
        delivery_id=f"{n:032x}",
        harness="claude-code",
        session_id="session-1",
        at=T0,
        cwd="/repo",
        body=body or UserPrompt(text="we use pnpm here, not npm", channel=PromptChannel.TYPED, prompt_id=f"p{n}"),
    )
    return replace(event, **over)


def a_prompt(text: str, *, channel: PromptChannel = PromptChannel.TYPED, **over: Any) -> Event:
    return an_event(UserPrompt(text=text, channel=channel), **over)


def a_call(**over: Any) -> ToolCall:
    call = ToolCall(call_id=f"toolu_{next(_numbers)}", tool="Bash", family="shell", command="pytest -q")
    return replace(call, **over)


def a_pre_tool(**over: Any) -> Event:
    return an_event(PreTool(call=a_call()), **over)


def a_post_tool(body: PostTool, **over: Any) -> Event:
    return an_event(body, **over)


def a_memory(text: str = "Use pnpm here, not npm.", **over: Any) -> Memory:
    n = next(_numbers)
    memory = Memory(
        memory_id=f"0193a000-0000-7000-9000-{n:012x}",
        graph=a_graph(),
        kind=MemoryKind.SEMANTIC,
        text=text,
        digest=f"digest-of-{text}",
        created_at=T0,
        source=Source.CORRECTION,
        origin=Origin.USER_TYPED,
        confidence=0.8,
        session_id="session-1",
    )
    return replace(memory, **over)


def a_signal(rule: str = "We use pnpm here, not npm.", **over: Any) -> Signal:
    n = next(_numbers)
    signal = Signal(
        source=Source.CORRECTION,
        origin=Origin.USER_TYPED,
        session_id="session-1",
        at=T0,
        evidence=(EventRef(event_id=f"event-{n}", session_id="session-1", at=T0, quote=rule),),
        strength=0.8,
        rule=rule,
    )
    return replace(signal, **over)


def a_session(**over: Any) -> Session:
    session = Session(harness="claude-code", session_id="session-1", started_at=T0, last_event_at=T0, cwd="/repo")
    return replace(session, **over)


def a_job(**over: Any) -> Job:
    n = next(_numbers)
    job = Job(
        job_id=f"job-{n}",
        kind="promote",
        key=f"key-{n}",
        payload={},
        state=JobState.QUEUED,
        created_at=T0,
        due_at=T0,
    )
    return replace(job, **over)


def a_receipt(**over: Any) -> Receipt:
    n = next(_numbers)
    receipt = Receipt(
        receipt_id=f"receipt-{n}",
        harness="claude-code",
        session_id="session-1",
        epoch=0,
        at=T0,
        trigger=RecallTrigger.SESSION_START,
        event_id=f"event-{n}",
        graphs=(a_graph(),),
        query="",
        shown=(),
        left_out=(),
        chars=0,
    )
    return replace(receipt, **over)
