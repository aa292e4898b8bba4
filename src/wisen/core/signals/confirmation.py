"""Did the user approve of what was decided? "lgtm", "ship it", a merged pull request: what they stated before counts.

Only decisions that the user stated are confirmed, never what the agent wrote. Every word of an approval has to be one
of approving: "lgtm, but ..." is about the rest of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from wisen.core.types import (
    Event,
    EventRef,
    Origin,
    Outcome,
    PostTool,
    PromptChannel,
    ShellSegment,
    Signal,
    Source,
    Tier,
    UserPrompt,
)

_LONGEST: Final = 80  # characters; who writes more than that says something else as well

_WORK: Final = r"(?:the |this )?(?:pr|mr|branch|changes?|feature|pull request)"
_APPROVALS: Final = (
    r"lgtm|looks? (?:very |really )?(?:good|great|right|perfect) to me|approved|approve (?:it|this)",
    (
        r"(?:let'?s |let us |you can |go ahead and |please )*(?:ship|merge|land|release)"
        rf"(?: (?:it|this|that|them|all|everything|{_WORK}))?(?: (?:in|to main|into main))?"
    ),
)
_FILLERS: Final = (
    r"ok|okay|yes|yep|yeah|great|nice|perfect|awesome|excellent|cool|good|fine|thanks|thank you|thx|please|now|then|and"
    r"|so|all|go|go ahead|well done|nice work|good job|great work|pr|mr|#\d+|for me|from me|from my side"
)
_INTO: Final = frozenset({"main", "master", "develop", "trunk", "upstream", "origin", "HEAD", "FETCH_HEAD"})
_NO_MERGE: Final = frozenset({"--abort", "--continue", "--quit", "--no-commit", "--auto", "--disable-auto", "--help"})


def confirmed(events: Iterable[Event], stated: Sequence[Signal]) -> Iterator[Signal]:
    """Yield what the user stated and has approved of since, once for each approval that it came before.

    `stated` are the signals of the session. A statement is settled by the first approval after it.
    """
    waiting = sorted((signal for signal in stated if _may_be_confirmed(signal)), key=lambda signal: signal.at)
    for event in events:
        if not waiting:
            return
        if not is_approval(event):
            continue
        before = [signal for signal in waiting if signal.at <= event.at]
        waiting = [signal for signal in waiting if signal.at > event.at]
        yield from (_merged(signal, event) for signal in before)


def is_approval(event: Event) -> bool:
    """Tell whether an event is the user's approval, or a merge of what was worked on that went through."""
    match event.body:
        case UserPrompt(text=text, channel=PromptChannel.TYPED):
            return not event.agent_id and approves(text)
        case PostTool(call=call, outcome=Outcome.SUCCESS):
            return any(map(_merges, call.segments))
        case _:
            return False


def approves(text: str) -> bool:
    """Tell whether a prompt is an approval and nothing else."""
    plain = " ".join(re.sub(r"[^\w\s#'?]", " ", text.lower().replace("’", "'")).split())
    if not plain or len(text) > _LONGEST or "?" in plain:
        return False
    return _whole().fullmatch(plain) is not None and _says_so().search(plain) is not None


def _may_be_confirmed(signal: Signal) -> bool:
    return signal.tier is Tier.SUGGEST and signal.origin is Origin.USER_TYPED and bool(signal.evidence)


def _merged(signal: Signal, event: Event) -> Signal:
    said = event.body.text if isinstance(event.body, UserPrompt) else ""
    approval = EventRef(event_id=event.event_id, session_id=event.session_id, at=event.at, quote=said)
    return replace(
        signal,
        source=Source.MERGED,
        origin=Origin.USER_APPROVED,
        tier=Tier.ADOPT,
        at=event.at,
        evidence=(*signal.evidence, approval),
    )


def _merges(segment: ShellSegment) -> bool:
    """Tell whether a command merges work: not the other way round, the main branch into one's own."""
    if _NO_MERGE & set(segment.flags):
        return False
    if segment.program in {"gh", "glab"}:
        return segment.subcommand in {"pr", "mr"} and segment.words[:1] == ("merge",)
    is_merge = (segment.program, segment.subcommand) == ("git", "merge")
    return is_merge and len(segment.words) == 1 and segment.words[0].partition("/")[0] not in _INTO


@cache
def _whole() -> re.Pattern[str]:
    part = rf"(?:{'|'.join(_APPROVALS)}|{_FILLERS})"
    return re.compile(rf"{part}(?: {part})*")


@cache
def _says_so() -> re.Pattern[str]:
    strong = rf"(?:{'|'.join(_APPROVALS)})"
    return re.compile(rf"(?<!\w){strong}(?!\w)")
