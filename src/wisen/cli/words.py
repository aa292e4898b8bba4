"""How wisen says things to a person: ages, sizes, whose memory it is, where it came from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from wisen.cli.answers import Entry, Memory, Repo
from wisen.cli.screen import clipped
from wisen.core.plain import source_in_words, status_in_words

_MINUTE_S: Final = 60
_UNITS: Final = ((365 * 86400, "y"), (30 * 86400, "mo"), (86400, "d"), (3600, "h"), (_MINUTE_S, "min"))
_SIZES: Final = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))

_ORIGINS: Final = {
    "user_typed": "you said it",
    "user_approved": "you approved it",
    "observed_outcome": "a command failed, then worked",
    "observed_location": "looked up again and again",
    "assistant_inferred": "the agent's own conclusion",
    "headless_prompt": "a prompt of a script, not typed",
    "tool_output": "text a tool returned",
    "peer": "another agent said it",
}

_LETTERS: Final = {"repo": "r", "you": "y", "upstream": "u", "earlier": "e"}

# Short enough that the reason of a change still fits into the same cell.
SUBJECT_CHARS: Final = 60

_CHANGE: Final = re.compile(r"\bchange ([0-9]+)\b")

_BY_WORDS: Final = "lexical only"  # no loss of what could be read

# Stands for a text that the daemon keeps from an agent.
UNSEEN: Final = "(not shown to an agent)"

EXCLUDED: Final = "Excluded by your settings (`exclude`): here wisen neither learns nor recalls."

PAUSED: Final = "Paused by you (`wisen resume` ends it): for now wisen neither learns nor recalls here."

STANDINGS: Final = {
    "verified": (
        "Its first commit is the one that its remote is known by on this computer. The first clone of a remote seen "
        "here sets it."
    ),
    "unverified": "Taken at its word by its remote: a shallow or empty clone shows no first commit.",
    "local": "A repository without a remote: it has its own memories, known by its first commit.",
    "foreign": (
        "It claims a remote that belongs to a repository with another first commit. It gets memories of its own and "
        "never sees the other's. If the history was rewritten on purpose, `wisen repo trust` settles it."
    ),
    "pending": "Its first commit is still being read. Until then nothing is recalled and nothing is learned.",
    "none": "No project here: wisen neither learns nor recalls project memories in this directory.",
}


def age(moment: datetime | None, now: datetime) -> str:
    """Return how long ago, in its largest unit: `3 d`."""
    if moment is None:
        return ""
    seconds = (now - moment).total_seconds()
    return duration(seconds) if seconds >= _MINUTE_S else "now"


def ago(moment: datetime | None, now: datetime) -> str:
    """Return how long ago, in a sentence: `3 d ago`."""
    long = age(moment, now)
    return "just now" if long == "now" else f"{long} ago"


def stamp(moment: datetime | None, now: datetime) -> str:
    """Return date and minute in the time zone of `now`."""
    return moment.astimezone(now.tzinfo).strftime("%Y-%m-%d %H:%M") if moment else ""


def pause_in_words(place: str, graph: str, until: datetime | None, now: datetime) -> str:
    """Return where and how long a pause holds: `everywhere until 2026-11-30 14:00`. An empty place is everywhere."""
    where = f"in {place}{', and every other clone and worktree of it' if graph else ''}" if place else "everywhere"
    return f"{where} until {stamp(until, now)}" if until else where


def size(count_bytes: int) -> str:
    """Return bytes in a unit a person reads: `84 kB`."""
    for unit_bytes, unit in _SIZES:
        if count_bytes >= unit_bytes:
            return f"{count_bytes / unit_bytes:.1f} {unit}"
    return f"{count_bytes} B"


def duration(seconds: float) -> str:
    """Return a span in its largest unit: `5 min`."""
    for size_s, unit in _UNITS:
        if seconds >= size_s:
            return f"{int(seconds // size_s)} {unit}"
    return f"{int(seconds)} s"


def many(count: int, thing: str, things: str = "") -> str:
    """Return a count with its noun: `1 memory`, `2 memories`."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def place(graph: str, repo: Repo) -> str:
    """Return whose memories a graph holds, as seen from a directory: repo, you, earlier, upstream, or its own name.

    Earlier are those of this very clone, from before it was trusted or had its remote.
    """
    if graph.startswith("user://"):
        return "you"
    if graph == repo.write:
        return "repo"
    if graph not in repo.reads:
        return graph_name(graph)
    is_of_no_remote = graph_name(graph).startswith(("local/", "path/"))
    return "earlier" if is_of_no_remote or graph.startswith(f"{repo.write}~") else "upstream"


def graph_name(graph: str) -> str:
    """Return a graph's id without the scheme and the harness, which are the same in every line."""
    scheme, _, rest = graph.partition("://")
    name = rest.partition("/")[2] or rest
    return f"you ({name})" if scheme == "user" else name


def change_ref(entry: Entry, repo: Repo, *, seq: int = 0) -> str:
    """Return how a change (or another one of its graph, by `seq`) is named in a place: `r12`, `y3`, `u5`, `e2`.

    Each graph counts its own changes. The letter says whose they are: the repository's, yours, the upstream's or
    this clone's earlier ones; a graph that the place does not read has none.
    """
    return f"{_LETTERS.get(place(entry.graph, repo), '')}{seq or entry.seq}"


def source_name(memory: Memory) -> str:
    """Return what kind of signal a memory came from, as a person calls it."""
    return source_in_words(memory.source or "")


def incomplete(degraded: str) -> str:
    """Return what a recall could not do; not that words had to do, for which nothing was left unread."""
    return "; ".join(part for part in degraded.split("; ") if part and not part.startswith(_BY_WORDS))


def why_by_words(degraded: str) -> str:
    """Return why a recall had to do with words, '' where it had not or nothing is said of it."""
    said = next((part for part in degraded.split("; ") if part.startswith(_BY_WORDS)), "")
    return said.removeprefix(_BY_WORDS).strip().removeprefix("(").removesuffix(")")


def searched_by(by: str, model: str, why: str) -> str:
    """Return by what memories were looked for, as a sentence.

    `by` is what was asked for: both, words or meaning; `model` is '' where no vector was compared, `why` the reason.
    """
    if by == "words":
        return "By words alone, as you asked."
    if model:
        return f"By {'meaning alone' if by == 'meaning' else 'words and by meaning'}: {model}."
    return f"By words alone: {why}." if why else "By words alone."


def with_refs(text: str, entry: Entry, repo: Repo) -> str:
    """Return what the daemon says of an entry's graph, where changes are numbers, with them named as everywhere."""
    return _CHANGE.sub(lambda found: change_ref(entry, repo, seq=int(found[1])), text)


def reason_of(entry: Entry, repo: Repo, now: datetime) -> str:
    """Return why a change was made; what was learned by itself names its kind of signal, a snooze its end."""
    if entry.action == "snooze" and entry.snoozed_until:
        return f"until {stamp(entry.snoozed_until, now)}"
    if entry.action == "revert":
        return with_refs(entry.reason, entry, repo)
    return entry.reason if entry.actor == "user" else source_in_words(entry.reason)


def is_erased(entry: Entry) -> bool:
    """Whether a change is of a memory that was purged since: nothing of its words is left."""
    return entry.before_text is None and entry.after_text is None


def subject_of(entry: Entry, repo: Repo, now: datetime, *, max_chars: int = SUBJECT_CHARS) -> str:
    """Return what a change was about, what it made of it and why, on one line."""
    # What no longer holds is said first: the end of a cell may be cut.
    parts = ["taken back" if entry.undone_by else "", _text_of(entry, max_chars), changed_in_words(entry)]
    return " · ".join(part for part in (*parts, reason_of(entry, repo, now)) if part)


def _text_of(entry: Entry, max_chars: int) -> str:
    """Return what a memory says after a change, and before it where that was something else."""
    before, after = entry.before_text, entry.after_text
    if before and after and before != after:
        return f"“{clipped(before, max_chars // 2)}” → “{clipped(after, max_chars // 2)}”"
    said = before if after is None else after
    return "(erased)" if said is None else clipped(said, max_chars) or UNSEEN


_FIELDS: Final = {"why": "why", "title": "title", "how_to_apply": "how to apply", "tags": "tags", "pinned": "pin"}


def changed_in_words(entry: Entry) -> str:
    """Return what else than its text a change made different in a memory: `now forgotten`, `other title, tags`."""
    stands = entry.before_status and entry.after_status and entry.after_status != entry.before_status
    other = [word for name, word in _FIELDS.items() if name in entry.changed] if entry.action == "edit" else []
    parts = [f"now {status_in_words(entry.after_status or '')}" if stands else ""]
    parts += [f"other {', '.join(other)}"] if other else []
    return " · ".join(part for part in parts if part)


def undo_of(entry: Entry, repo: Repo) -> str:
    """Return the command that takes a change back, and where, if it is of a graph that is not this place's."""
    if place(entry.graph, repo) in {"repo", "you", "earlier"}:
        return f"`wisen undo {change_ref(entry, repo)}`"
    return f"`wisen undo r{entry.seq}` in {graph_name(entry.graph)}"


def came_from(memory: Memory) -> str:
    """Return who or what a memory comes from, in words."""
    said = _ORIGINS.get(memory.origin, memory.origin)
    return f"{source_name(memory) or 'before sources were kept'}: {said}" if said else source_name(memory)


def snoozed_until(memory: Memory, now: datetime) -> str:
    """Return until when a memory is snoozed, '' when it is awake."""
    return stamp(memory.snoozed_until, now) if memory.snoozed_until and memory.snoozed_until > now else ""


def near_names(graphs: Sequence[str]) -> str:
    """Return where else to look, '' where nothing is called nearly the same."""
    if not graphs:
        return ""
    names = ", ".join(map(graph_name, graphs))
    return f"There are memories of {names}: `--graph {graphs[0]}` looks there."


def standing_of(memory: Memory, now: datetime) -> str:
    """Return how a memory stands: status, confidence, support, pin, snooze."""
    until = snoozed_until(memory, now)
    parts = [status_in_words(memory.status), f"confidence {memory.confidence:.2f}"]
    parts.append("seen once" if memory.support == 1 else f"seen {memory.support} times")
    parts += ["pinned"] if memory.pinned else []
    parts += [f"snoozed until {until}"] if until else []
    return ", ".join(parts)
