"""When to recall, with which words, which filter and which budget. Never on every turn.

The three moments and their limits are the original's (session start .5 / 2,000 characters, prompt .6 / 1,000 /
30 characters, sub-task 800), with the wrapper counted in.
"""

from __future__ import annotations

from dataclasses import dataclass

from wisen.core.records import Session
from wisen.core.types import Budget, Event, PreTool, RecallTrigger, SessionStart, StartSource, UserPrompt

MAX_QUERY_CHARS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The numbers a user may change; `config.Settings` documents each."""

    session_start_chars: int = 2000
    user_prompt_chars: int = 1000
    sub_task_chars: int = 800
    memory_chars: int = 300
    prompt_min_chars: int = 30
    session_start_min_confidence: float = 0.5
    user_prompt_min_confidence: float = 0.6
    sub_task_min_confidence: float = 0.6
    max_items: int = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPlan:
    """What to recall now. `catch_up`: the session-start block has not reached this context yet, so it comes along."""

    trigger: RecallTrigger
    query: str
    min_confidence: float
    budget: Budget
    catch_up: bool = False
    reads_history: bool = False  # the transcript may already hold blocks: leave out what it shows


def plan_recall(event: Event, session: Session, limits: Limits) -> RecallPlan | None:
    """Return the recall an event asks for, or None. Events inside a subagent ask for none."""
    if event.agent_id:
        return None
    match event.body:
        case SessionStart(source=source):
            return _at_start(source, limits)
        case UserPrompt(text=text):
            return _at_prompt(text.strip(), session, limits)
        case PreTool(call=call) if call.family == "task" and len(call.summary.strip()) >= limits.prompt_min_chars:
            return RecallPlan(
                trigger=RecallTrigger.SUB_TASK,
                query=call.summary.strip()[:MAX_QUERY_CHARS],
                min_confidence=limits.sub_task_min_confidence,
                budget=_budget(limits.sub_task_chars, limits),
            )
        case _:
            return None


def _at_start(source: StartSource, limits: Limits) -> RecallPlan:
    return RecallPlan(
        trigger=RecallTrigger.SESSION_START,
        query="",
        min_confidence=limits.session_start_min_confidence,
        budget=_budget(limits.session_start_chars, limits),
        reads_history=source in {StartSource.RESUME, StartSource.FORK},
    )


def _at_prompt(text: str, session: Session, limits: Limits) -> RecallPlan | None:
    substantial = len(text) >= limits.prompt_min_chars
    if not session.start_delivered:
        return RecallPlan(
            trigger=RecallTrigger.SESSION_START,
            query=text[:MAX_QUERY_CHARS] if substantial else "",
            min_confidence=limits.session_start_min_confidence,
            budget=_budget(limits.session_start_chars, limits),
            catch_up=True,
            reads_history=True,
        )
    if not substantial:
        return None
    return RecallPlan(
        trigger=RecallTrigger.USER_PROMPT,
        query=text[:MAX_QUERY_CHARS],
        min_confidence=limits.user_prompt_min_confidence,
        budget=_budget(limits.user_prompt_chars, limits),
    )


def _budget(chars: int, limits: Limits) -> Budget:
    return Budget(max_chars=chars, max_memory_chars=limits.memory_chars, max_items=limits.max_items)
