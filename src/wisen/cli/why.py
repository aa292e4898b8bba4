"""The why command: what agents were given, and what was heard in a session's prompts, with the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from wisen.cli.answers import Heard, HeardSentence, Receipt, Receipts, Shown, WhyNot, read
from wisen.cli.app import App
from wisen.cli.off import no_learning, no_recall, reasons, standing
from wisen.cli.options import Scope, as_json, scoped, whole_number
from wisen.cli.screen import clipped, one_line
from wisen.cli.words import UNSEEN, graph_name, incomplete, many, stamp
from wisen.errors import NotFound, UsageError

_HERE_LIMIT: Final = 5
_SHORTLY: Final = 3  # of what was left out of a recall that gave nothing
_SHORT_CHARS: Final = 40
_SESSION_LIMIT: Final = 1000
_CHANNELS: Final = {"headless": "a script's prompt", "refusal": "said when refusing a tool"}


@click.command("why")
@click.argument("session", required=False, default="", metavar="[SESSION]")
@click.option("--last", is_flag=True, help="The latest session here; a recall that gave nothing is one line.")
@click.option(
    "--not", "text", metavar="TEXT", help="What keeps TEXT from being a memory here: known, refused, or not said."
)
@click.option("--learned", is_flag=True, help="What was heard in a session's prompts, what was taken, and why not.")
@click.option(
    "--limit", type=whole_number, metavar="N", help="At most so many recalls; 5 of a directory, all of a session."
)
@scoped
@as_json
@click.pass_obj
def why(
    app: App,
    *,
    session: str,
    last: bool,
    text: str | None,
    learned: bool,
    limit: int | None,
    scope: Scope,
    as_json: bool,
) -> None:
    """Explain what the agent was given, and what not.

    Each recall left a receipt: what went in, what was considered and left out, and the reason. SESSION is a session's
    id, and all its recalls are shown; without it, the latest recalls of this directory. With --learned: what wisen made
    of each sentence of a session's prompts, of the latest one without SESSION. With --not: what would become of TEXT
    if you said it here now, or what became of it when you did.
    """
    if text is not None:
        _say_why_not(app, text, scope, as_json=as_json)
        return
    if session and last:
        raise UsageError("--last is the latest session, so no other can be named", hint=f"wisen why {session}")
    if learned:
        _learned(app, session, scope, as_json=as_json)
        return
    if last:
        session = _latest_session(app, scope)
    most = limit or (_SESSION_LIMIT if session else _HERE_LIMIT)
    off = () if as_json else reasons(app, standing(app, scope))
    answer = app.get("/v1/receipts", {**scope.place, "session": session, "limit": most})
    if as_json:
        app.screen.json(answer)
        return
    found = read(answer, Receipts)
    if not found.receipts:
        _say_no_recall(app, session, scope, is_latest=last)
        return
    for reason in off:
        app.screen.line(f"! {reason}", tone="bad")
    # A session reads as it went; of a directory, the latest is what is asked for.
    _print_receipts(app, found.receipts[::-1] if session else found.receipts, is_short=last)
    if found.more:
        app.screen.line(f"\n{many(found.more, 'older recall')} not shown; --limit N shows more.", tone="faint")


def _latest_session(app: App, scope: Scope) -> str:
    """Return the id of the latest session here, whether or not it was given anything; '' before the first."""
    heard = _heard(app, "", scope)
    if heard.session_id:
        return heard.session_id
    latest = read(app.get("/v1/receipts", {**scope.place, "limit": 1}), Receipts).receipts
    return latest[0].session_id if latest else ""


def _heard(app: App, session: str, scope: Scope) -> Heard:
    return read(app.get("/v1/heard", {**scope.place, "session": session}), Heard)


# --- what was given ---------------------------------------------------------------------------------------------


def _say_no_recall(app: App, session: str, scope: Scope, *, is_latest: bool) -> None:
    """Say that nothing was recalled. Raises NotFound for a session that never was."""
    if session and not is_latest and not _heard(app, session, scope).session_id:
        raise NotFound(f"no session {session}", hint="`wisen why` shows the latest recalls here, with their sessions")
    stands = standing(app, scope)
    off, others = no_recall(stands), reasons(app, stands)
    if is_latest and session:
        why_not = "." if off else ": no memory was even considered."
        app.screen.line(f"The latest session here, {session}, was given nothing{why_not}")
    else:
        app.screen.line("No recall yet in this session." if session else "No recall yet in this directory.")
    for reason in others:
        app.screen.line(reason, tone="bad")
    if off:
        return
    app.screen.line(
        "A session start, a longer prompt and the start of a sub-task recall. `wisen status` says whether wisen "
        "is installed and which repository this is.",
        tone="faint",
    )


def _print_receipts(app: App, receipts: Sequence[Receipt], *, is_short: bool) -> None:
    empty = 0
    for position, receipt in enumerate(receipts):
        if position:
            app.screen.line()
        if is_short and not receipt.shown:
            empty += 1
            app.screen.line(f"{_title(app, receipt)} · nothing went in", tone="faint")
            _print_left_out(app, receipt)
        else:
            _print_receipt(app, receipt)
    if empty:
        app.screen.line(f"\n`wisen why {receipts[0].session_id}` shows all of what was left out.", tone="faint")


def _print_left_out(app: App, receipt: Receipt) -> None:
    """Print in a line each what was left out of a recall that gave nothing, and why; or that nothing came close."""
    left_out = receipt.left_out
    if not left_out:
        app.screen.line(_nothing(receipt), tone="faint", indent=2)
    for item in left_out[:_SHORTLY]:
        text = clipped(item.text or _no_text(app), _SHORT_CHARS)
        app.screen.line(f"left out: {item.name}  {text} · {item.reason}", tone="faint", indent=2)
    if len(left_out) > _SHORTLY:
        app.screen.line(f"and {len(left_out) - _SHORTLY} more", tone="faint", indent=2)


def _nothing(receipt: Receipt) -> str:
    """Return why a recall gave nothing and left nothing out."""
    return "no memory here holds enough of its words" if receipt.query else "there was no memory here to recall"


def _no_text(app: App) -> str:
    return UNSEEN if app.is_run_by_agent else "(its text is gone)"


def _title(app: App, receipt: Receipt) -> str:
    return f"{receipt.trigger} · {stamp(receipt.at, app.now())}"


def _print_receipt(app: App, receipt: Receipt) -> None:
    app.screen.line(f"{_title(app, receipt)} · {many(receipt.chars, 'character')}", tone="strong")
    app.screen.fields(
        [
            ("session", f"{receipt.session_id}{f', after compaction {receipt.epoch}' if receipt.epoch else ''}"),
            ("looked in", ", ".join(map(graph_name, receipt.graphs))),
            ("query", one_line(receipt.query)),
            ("note", receipt.note),
            ("not read", incomplete(receipt.degraded)),
        ]
    )
    app.screen.line(
        "went in" if receipt.shown else "nothing went in", tone="good" if receipt.shown else "faint", indent=2
    )
    for item in receipt.shown:
        _print_considered(app, item, item.reasons)
    if not (receipt.shown or receipt.left_out):
        app.screen.line(_nothing(receipt), tone="faint", indent=4)
    if receipt.left_out:
        app.screen.line("left out", tone="bad", indent=2)
    for item in receipt.left_out:
        _print_considered(app, item, [item.reason])


def _print_considered(app: App, item: Shown, reasons: Sequence[str]) -> None:
    """Print a memory that was considered, why it went in or not, and its score if it got one. A purged has no text."""
    app.screen.line(f"{item.name}  {one_line(item.text or _no_text(app))}", indent=4)
    score = f"score {item.score:.2f}" if item.score else ""
    app.screen.line("; ".join(part for part in (score, *reasons) if part), tone="faint", indent=14)


# --- what was heard ---------------------------------------------------------------------------------------------


def _learned(app: App, session: str, scope: Scope, *, as_json: bool) -> None:
    answer = app.get("/v1/heard", {**scope.place, "session": session})
    heard = read(answer, Heard)
    if session and not heard.session_id:
        raise NotFound(f"no session {session}", hint="`wisen why --learned` shows the latest session here")
    if as_json:
        app.screen.json(answer)
        return
    off = no_learning(standing(app, scope))
    if not heard.session_id:
        app.screen.line("No session was seen in this directory yet.")
        if off:
            app.screen.line(off, tone="bad")
        return
    app.screen.line(f"session {heard.session_id} · {stamp(heard.started_at, app.now())}", tone="strong")
    taken = [one for one in heard.heard if one.emitted]
    if taken:
        app.screen.line("taken", tone="good", indent=2)
    for one in taken:
        _print_heard(app, one)
    others = [one for one in heard.heard if not one.emitted]
    if others:
        app.screen.line("not taken", tone="faint", indent=2)
    for one in others:
        _print_heard(app, one)
    if off:
        app.screen.line(off, tone="bad")
    else:
        app.screen.line(_WHAT_NEXT if taken else _NOTHING_TAKEN if others else _NOTHING_HEARD, tone="faint")


_WHAT_NEXT: Final = (
    "What was taken becomes a memory when the session ends, is compacted or falls silent; `wisen list` shows it, "
    "`wisen review` what waits for your word."
)
_NOTHING_TAKEN: Final = (
    "Most prompts state no rule. “Remember that ...” is taken, unless it holds a secret or is about this session only."
)
_NOTHING_HEARD: Final = "Its prompts are not there: none was typed yet, or they were deleted after `retention_days`."


def _print_heard(app: App, one: HeardSentence) -> None:
    app.screen.line(f"“{one_line(one.sentence)}”" if one.sentence else UNSEEN, indent=4)
    rule = f"as: {one.rule}" if one.rule and one_line(one.rule) != one_line(one.sentence) else ""
    notes = [one_line(rule), _CHANNELS.get(one.channel, ""), one.reason]
    app.screen.line(" · ".join(note for note in notes if note), tone="faint", indent=6)


# --- what is not known ------------------------------------------------------------------------------------------


def _say_why_not(app: App, text: str, scope: Scope, *, as_json: bool) -> None:
    if not text.strip():
        raise UsageError("--not needs the words that are no memory", hint='wisen why --not "we use pnpm here"')
    answer = app.get("/v1/why-not", {**scope.place, "text": text})
    if as_json:
        app.screen.json(answer)
        return
    for one in read(answer, WhyNot).answers:
        heard = f"heard {stamp(one.at, app.now())} in session {one.session_id}" if one.at else "not heard here lately"
        app.screen.line(f"“{one_line(one.sentence)}”", tone="strong")
        app.screen.line(one.reason, tone="good" if one.taken or one.memory_id else "bad", indent=2)
        if one.text and one_line(one.text) != one_line(one.sentence):
            app.screen.line(f"“{one_line(one.text)}”", indent=2)
        app.screen.line(heard, tone="faint", indent=2)
    if off := no_learning(standing(app, scope)):
        app.screen.line(off, tone="bad")


COMMANDS: Final = {"why": why}
