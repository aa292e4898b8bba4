"""How wisen says things to a person: ages, sizes, whose memory it is, where it came from."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from wisen.cli.answers import Entry, Memory, Repo

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

# The wire's name for a rule that was stated is that of the signal it came with.
_SOURCES: Final = {"correction": "rule"}
_LETTERS: Final = {"repo": "r", "you": "y", "upstream": "u", "earlier": "e"}

_CHANGE: Final = re.compile(r"\bchange ([0-9]+)\b")

_ALWAYS_SO: Final = {"", "lexical only"}

STATUSES: Final = {"pending_review": "waits for review"}

EXCLUDED: Final = "Excluded by your settings (`exclude`): here wisen neither learns nor recalls."

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
    return _SOURCES.get(memory.source or "", memory.source or "").replace("_", " ")


def incomplete(degraded: str) -> str:
    """Return what a recall could not do, without what is so in every recall: there is no search by meaning."""
    return "; ".join(part for part in degraded.split("; ") if part not in _ALWAYS_SO)


def with_refs(text: str, entry: Entry, repo: Repo) -> str:
    """Return what the daemon says of an entry's graph, where changes are numbers, with them named as everywhere."""
    return _CHANGE.sub(lambda found: change_ref(entry, repo, seq=int(found[1])), text)


def reason_of(entry: Entry, repo: Repo) -> str:
    """Return why a change was made; what was learned by itself names its kind of signal."""
    if entry.action == "revert":
        return with_refs(entry.reason, entry, repo)
    return entry.reason if entry.actor == "user" else _SOURCES.get(entry.reason, entry.reason)


def came_from(memory: Memory) -> str:
    """Return who or what a memory comes from, in words."""
    said = _ORIGINS.get(memory.origin, memory.origin)
    return f"{source_name(memory) or 'before sources were kept'}: {said}" if said else source_name(memory)


def standing_of(memory: Memory) -> str:
    """Return how a memory stands: status, pin, confidence, support."""
    parts = [STATUSES.get(memory.status, memory.status), f"confidence {memory.confidence:.2f}"]
    parts.append("seen once" if memory.support == 1 else f"seen {memory.support} times")
    return ", ".join([*parts, *(["pinned"] if memory.pinned else [])])
