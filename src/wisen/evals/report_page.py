"""How does a replay read for a person? One HTML page that needs nothing else: figures, pictures, one row a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Final

from wisen.evals import scoring_facts, scoring_moments, silence
from wisen.evals.deeds_seen import Again
from wisen.evals.figures import chars_of, recall_totals, summed
from wisen.evals.gate_score import wilson
from wisen.evals.pictures import Series, bars, lines, running
from wisen.evals.playing import Blocks, Played
from wisen.evals.replaying import Replay

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: right; padding: .15rem .5rem; border-bottom: 1px solid #8884; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; }
figure { margin: 1rem 0; } figcaption span { margin-left: .8rem; white-space: nowrap; }
figcaption i { display: inline-block; width: .8em; height: .8em; margin-right: .3em; border-radius: 2px; }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: currentColor; }
svg .grid { stroke: currentColor; stroke-opacity: .15; }
p.note { color: GrayText; }
"""

_MOMENTS: Final = {
    "served": "in the block of the moment",
    "in_context": "shown earlier in the session",
    "known": "active by then",
    "waiting": "only waiting for review",
}


def page(replay: Replay) -> str:
    """Return the page. It shows figures and session ids, and no word of a prompt, a command or a memory."""
    title = f"wisen on {len(replay.sessions)} sessions of {replay.repository}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _summary(replay),
        "<h2>What was learned</h2>",
        *_learned(replay),
        "<h2>What recall would have put before the agent</h2>",
        *_recalled(replay),
        "<h2>What was done again</h2>",
        *_done_again(replay),
        *_guide(replay),
        *_moments(replay),
        "<h2>Session by session</h2>",
        _table(_SESSION_HEAD, map(_session_row, replay.sessions)),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _summary(replay: Replay) -> str:
    sessions = replay.sessions
    last = sessions[-1] if sessions else None
    silent = silence.counts(sessions, replay.labelled)
    chars = sum(map(chars_of, sessions))
    return _table(
        ("", "count"),
        [
            ("sessions", len(sessions)),
            ("of which stored nothing", silent["stored_nothing"]),
            ("events", sum(one.events for one in sessions)),
            ("prompts", sum(one.prompts for one in sessions)),
            ("signals noticed", sum(one.signals for one in sessions)),
            ("candidates that passed the gate", sum(one.candidates for one in sessions)),
            ("active memories at the end", last.active if last else 0),
            ("memories waiting for review at the end", last.waiting if last else 0),
            ("characters recalled for each session, on average", round(chars / len(sessions)) if sessions else 0),
        ],
    )


def _learned(replay: Replay) -> list[str]:
    sessions = replay.sessions
    picture = lines(
        "Memories after each session",
        [_series("active", sessions, lambda one: one.active), _series("waiting", sessions, lambda one: one.waiting)],
    )
    dropped = summed(one.dropped for one in sessions)
    passed = summed(one.passed_over for one in sessions)
    return [
        picture,
        _table(("signals that became nothing, and why", "count"), dropped.items()),
        _table(("sentences of prompts that gave no signal, and why", "count"), passed.items()),
    ]


def _recalled(replay: Replay) -> list[str]:
    sessions = replay.sessions
    totals = recall_totals(sessions)
    stacked = [Series(name=name, values=[one.blocks.get(name, Blocks()).chars for one in sessions]) for name in totals]
    rows = [(name, one.blocks, one.memories, one.chars) for name, one in totals.items()]
    return [
        bars("Characters recalled in each session", stacked),
        _table(("moment", "blocks", "memories", "characters"), rows),
    ]


def _done_again(replay: Replay) -> list[str]:
    sessions = replay.sessions
    rows = []
    pictures = []
    for name, seen in (
        ("failures", [one.seen.failures for one in sessions]),
        ("lookups", [one.seen.lookups for one in sessions]),
    ):
        total = sum(seen, Again())
        rows.append((name, total.done, total.repeated, total.known, total.shown))
        pictures.append(
            lines(
                f"{name.capitalize()} so far",
                [
                    running("repeated", [one.repeated for one in seen]),
                    running("an active memory knew", [one.known for one in seen]),
                    running("and had been shown", [one.shown for one in seen]),
                ],
            )
        )
    again = sum(one.corrected_again for one in sessions)
    in_vain = sum(one.in_vain for one in sessions)
    return [
        *pictures,
        _table(("", "in all", "repeated", "a memory knew", "had been shown"), rows),
        _table(("", "count"), [("rules the user had to state again", again), ("of these after a recall", in_vain)]),
    ]


def _guide(replay: Replay) -> list[str]:
    if not replay.facts:
        return []
    last = len(replay.sessions)
    found = replay.facts
    series = [
        Series(name=name, values=[sum(at is not None and at <= number for at in when) for number in range(1, last + 1)])
        for name, when in (
            ("revealed", [one.revealed for one in found]),
            ("held", [one.held for one in found]),
            ("held by active memories", [one.held_active for one in found]),
        )
    ]
    counts = scoring_facts.counts(found)
    names = {
        "held_in_time": "held within a session of being revealed",
        "held_in_time_active": "the same by active memories alone",
        "held": "held at any time",
        "held_active": "the same by active memories alone",
        "named": "a memory with the evidence has one of the key terms",
        "touched": "a memory has the evidence, whatever it says",
    }
    rows = [(words, counts[name], _share(counts[name], counts["facts"])) for name, words in names.items()]
    return [
        "<h2>Facts of the guide that the sessions fully state</h2>",
        lines("Facts", series),
        _table((f"{counts['facts']} facts", "count", "share (95 % interval)"), rows),
    ]


def _moments(replay: Replay) -> list[str]:
    if not replay.moments:
        return []
    rows = []
    for name, group in scoring_moments.counts(replay.moments).items():
        of = group["moments"]
        either = group["served"] + group["in_context"]
        rows.append((name.replace("_", " "), of, *(group[key] for key in _MOMENTS), _share(either, of)))
    note = "Lessons are types a to c, questions type d; late ones the user had said again already."
    return [
        "<h2>Moments at which an earlier lesson would have helped</h2>",
        f'<p class="note">{escape(note)}</p>',
        _table(("group or type", "moments", *_MOMENTS.values(), "first two together"), rows),
    ]


_SESSION_HEAD: Final = (
    "session", "began", "events", "prompts", "signals", "candidates", "new", "again", "active", "waiting",
    "recalled", "failures", "repeated", "lookups", "repeated",
)  # fmt: skip


def _session_row(one: Played) -> Sequence[object]:
    failures, lookups = one.seen.failures, one.seen.lookups
    return (
        f"{one.number} · {one.session_id[:8]}",
        one.at.date().isoformat(),
        one.events,
        one.prompts,
        one.signals,
        one.candidates,
        len(one.added),
        len(one.reinforced),
        one.active,
        one.waiting,
        chars_of(one),
        failures.done,
        failures.repeated,
        lookups.done,
        lookups.repeated,
    )


def _series(name: str, sessions: Sequence[Played], value: Callable[[Played], int]) -> Series:
    return Series(name=name, values=[value(one) for one in sessions])


def _share(hits: int, of: int) -> str:
    if not of:
        return ""
    low, high = wilson(hits, of)
    return f"{hits / of:.0%} ({low:.0%}–{high:.0%})"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(cell))}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return ""
    heads = "".join(f"<th>{escape(one)}</th>" for one in head)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
