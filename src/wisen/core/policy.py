"""When to recall, with which words, which filter and which budget. Never on every turn.

The three moments and their limits are the original's (session start .5 / 2,000 characters, prompt .6 / 1,000 /
30 characters, sub-task 800), with the wrapper counted in.
"""

from __future__ import annotations

from dataclasses import dataclass

from wisen.core.excerpts import halves
from wisen.core.recalls import Budget, RecallTrigger
from wisen.core.records import Session
from wisen.core.scripts import substance
from wisen.core.types import Event, PreTool, SessionStart, StartSource, UserPrompt

MAX_QUERY_CHARS = 2000
MAX_ITEMS = 25
MANUAL_CHARS = 9000  # what a harness takes at most


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPlan:
    """What to recall now. `reads_history`: the transcript may hold blocks already, so leave out what it shows."""

    trigger: RecallTrigger
    query: str
    min_confidence: float
    budget: Budget
    reads_history: bool = False


def plan_recall(event: Event, session: Session, limits: Limits) -> RecallPlan | None:
    """Return the recall an event asks for, or None: inside a subagent, or where no answer reaches the model."""
    if event.agent_id or not event.is_answerable:
        return None
    match event.body:
        case SessionStart(source=source):
            had_a_life = source in {StartSource.RESUME, StartSource.FORK}
            return _plan(RecallTrigger.SESSION_START, "", limits, reads_history=had_a_life)
        case UserPrompt(text=text):
            return _at_prompt(text.strip(), session, limits)
        case PreTool(call=call) if call.family == "task" and is_substantial(call.summary, limits):
            return _plan(RecallTrigger.SUB_TASK, call.summary, limits)
        case _:
            return None


def _at_prompt(text: str, session: Session, limits: Limits) -> RecallPlan | None:
    """Return a prompt's recall; the first prompt makes up for a session start that could not be answered."""
    query = text if is_substantial(text, limits) else ""
    if not session.start_delivered:
        return _plan(RecallTrigger.SESSION_START, query, limits, reads_history=True)
    return _plan(RecallTrigger.USER_PROMPT, query, limits) if query else None


def is_substantial(text: str, limits: Limits) -> bool:
    """Tell whether a text says enough to recall by: short answers and acknowledgements don't."""
    return substance(text.strip()) >= limits.prompt_min_chars


def limits_at(trigger: RecallTrigger, limits: Limits) -> tuple[Budget, float]:
    """Return the budget and the least confidence of a trigger. A person's own question is under no confidence floor."""
    chars, least = {
        RecallTrigger.SESSION_START: (limits.session_start_chars, limits.session_start_min_confidence),
        RecallTrigger.USER_PROMPT: (limits.user_prompt_chars, limits.user_prompt_min_confidence),
        RecallTrigger.SUB_TASK: (limits.sub_task_chars, limits.sub_task_min_confidence),
        RecallTrigger.MANUAL: (MANUAL_CHARS, 0.0),
    }[trigger]
    return Budget(max_chars=chars, max_memory_chars=limits.memory_chars, max_items=MAX_ITEMS), least


def _plan(trigger: RecallTrigger, query: str, limits: Limits, *, reads_history: bool = False) -> RecallPlan:
    budget, least = limits_at(trigger, limits)
    return RecallPlan(
        trigger=trigger,
        query=_bounded(query.strip()),
        min_confidence=least,
        budget=budget,
        reads_history=reads_history,
    )


def _bounded(query: str) -> str:
    """Return the query, or the ends of a very long one: what is asked stands before or behind what is pasted."""
    return query if len(query) <= MAX_QUERY_CHARS else " ".join(halves(query, MAX_QUERY_CHARS))
