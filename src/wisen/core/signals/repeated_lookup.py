"""Which names did the agent look for, and where did it find them? What is looked up in three sessions is worth knowing.

Only a name that was searched for and a file in which it was found say something: that a file which is known by its path
was opened again tells nobody anything. Of a search's result nothing but paths is taken over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from wisen.core.places import parts_of
from wisen.core.records import Lookup
from wisen.core.scripts import reads_like_a_sentence
from wisen.core.types import (
    Anchor,
    Event,
    EventRef,
    MemoryKind,
    Origin,
    Outcome,
    PostTool,
    ShellSegment,
    Signal,
    Source,
    Tier,
    ToolCall,
)

ENOUGH: Final = 3
"""Sessions in which a name was looked up before its place is kept."""

ENOUGH_FOR_A_WORD: Final = 6
"""The same for a name of one word (`Config`): everybody knows it, there may be many, and it says little."""

_SHORTEST: Final = 4
_MOST_NAMES: Final = 3  # of one pattern: a long list of alternatives looks for no single thing
_PATIENCE: Final = 6  # calls within which a file that was found is opened, if the search was for it
_SEARCHERS: Final = frozenset({"rg", "grep", "egrep", "ag", "ack"})
_OPENERS: Final = frozenset({"cat", "sed", "head", "tail", "less", "bat", "nl"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A name that was found in a file. `path` is as the tool gave it, relative to `cwd` or absolute."""

    symbol: str
    path: str
    is_definition: bool
    event: Event


@dataclass(slots=True)
class _Search:
    """A search that is not settled yet: the files that it found, and how many calls ago it was made."""

    symbols: Sequence[str]
    paths: Sequence[str]
    event: Event
    age: int = 0


@dataclass(slots=True)
class Looks:
    """Takes a session's events in order; `take` yields what one of them settles."""

    _edited: set[str] = field(default_factory=set)
    _open: list[_Search] = field(default_factory=list)

    def take(self, event: Event) -> Iterator[Look]:
        """Yield the names whose place is known with this event."""
        body = event.body
        if not isinstance(body, PostTool) or body.outcome is not Outcome.SUCCESS:
            return
        self._open = [search for search in self._open if search.age < _PATIENCE]
        for search in self._open:
            search.age += 1
        opened = _opened(body.call)
        for path in opened:
            yield from self._found(path)
        if body.call.family == "edit":
            self._edited.update(opened)
        yield from (look for look in self._searched(event, body) if look.path not in self._edited)

    def _found(self, path: str) -> Iterator[Look]:
        """Settle the searches that found a file which is now opened; what the session itself wrote is not looked up."""
        for search in tuple(self._open):
            if path not in self._edited and any(_is_same_file(path, found) for found in search.paths):
                self._open.remove(search)
                for symbol in search.symbols:
                    yield Look(symbol=symbol, path=path, is_definition=False, event=search.event)

    def _searched(self, event: Event, body: PostTool) -> Iterator[Look]:
        for pattern, only_in in _patterns(body.call):
            symbols = names_in(pattern)
            if not symbols:
                continue
            text = _plain(body.excerpt)
            unsettled: list[str] = []
            for symbol in symbols:
                places = {place for path, line in _lines(text, only_in) if _defines(symbol, line) and (place := path)}
                if len(places) == 1:
                    yield Look(symbol=symbol, path=places.pop(), is_definition=True, event=event)
                else:
                    unsettled.append(symbol)
            paths = sorted({path for path in _paths_in(text) if is_of_interest(path)})
            if unsettled and len(paths) == 1:
                yield from (
                    Look(symbol=symbol, path=paths[0], is_definition=False, event=event) for symbol in unsettled
                )
            elif unsettled and paths:
                self._open.append(_Search(unsettled, paths, event))


def names_in(pattern: str) -> tuple[str, ...]:
    """Return the identifiers that a pattern looks for; none where it looks for something else, or for too much."""
    plain = re.sub(r"\\[bBswdSWD]|[\^$]", " ", pattern).replace("\\", "")
    found: dict[str, None] = {}
    for part in plain.split("|"):
        keyword = _keyword().match(part)
        rest = part[keyword.end() :] if keyword else part
        for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", rest)[:1] if keyword else _words(rest):
            if len(word) >= _SHORTEST and (keyword or _is_identifier(word)):
                found[word] = None
    return tuple(found) if len(found) <= _MOST_NAMES else ()


def is_of_interest(path: str) -> bool:
    """Tell whether a file is one that somebody wrote for this repository, and has the name of a thing."""
    names = (name.rpartition(".")[0] or name for name in path.split("/"))
    return _not_ours().search(path) is None and not any(map(reads_like_a_sentence, names))


def pinned(looks: Sequence[Lookup], session_id: str, *, is_there: bool | None) -> Signal | None:
    """Return the signal that a session's look at a name gives, given all looks at it in one graph, or None.

    Those that found it elsewhere do not count. `is_there`: the file exists now; where nobody can tell (None), and where
    no look showed the definition, the person decides.
    """
    own = next((look for look in looks if look.session_id == session_id), None)
    if own is None or is_there is False:
        return None
    ordered = sorted((look for look in looks if look.path == own.path), key=lambda look: (look.at, look.session_id))
    at = [look.session_id for look in ordered].index(session_id)
    enough = ENOUGH if len(parts_of(own.symbol)) > 1 else ENOUGH_FOR_A_WORD
    if at < enough - 1:
        return None
    # The first to have enough before it makes the pin; a later one supports it and is one more.
    others = [look for look in ordered[:at] if at == enough - 1]
    is_definition = any(look.is_definition for look in ordered)
    verb = "defined in" if is_definition else "in"
    return Signal(
        source=Source.REPEATED_LOOKUP,
        origin=Origin.OBSERVED_LOCATION,
        session_id=session_id,
        at=own.at,
        evidence=tuple(map(_ref, (own, *others))),
        strength=0.6,
        rule=f"`{own.symbol}` is {verb} `{own.path}`.",
        tier=Tier.ADOPT if is_there and is_definition else Tier.SUGGEST,
        kind=MemoryKind.SEMANTIC,
        category="location",
        anchors=(Anchor(path=own.path, symbol=own.symbol),),
    )


def sought_in(call: ToolCall) -> tuple[str, ...]:
    """Return the names that a call searches for, each once; none where it is no search, or one for something else."""
    return tuple(dict.fromkeys(name for pattern, _ in _patterns(call) for name in names_in(pattern)))


def _ref(look: Lookup) -> EventRef:
    return EventRef(event_id=look.event_id, session_id=look.session_id, at=look.at, quote=f"{look.symbol}: {look.path}")


def _patterns(call: ToolCall) -> Iterator[tuple[str, str]]:
    """Yield what a call searches for, and the one file in which it does, '' for many."""
    if call.tool in {"Grep", "Glob"}:
        pattern = _field(call.summary, "pattern")
        if call.tool == "Glob":
            pattern = re.sub(r"\*+|\.\w+$|[{}\[\]?]", " ", pattern.rpartition("/")[2])
        yield pattern, call.path if _has_ending(call.path) else ""
    elif call.family == "shell":
        for segment in call.segments:
            if words := _searching(segment):
                files = words[1:]
                yield words[0], files[0] if len(files) == 1 and _has_ending(files[0]) else ""


def _searching(segment: ShellSegment) -> Sequence[str]:
    """Return the pattern and the places of a search, nothing for any other command, or one that reads a pipe."""
    is_search = segment.program in _SEARCHERS or (segment.program, segment.subcommand) == ("git", "grep")
    reads_pipe = segment.program in {"grep", "egrep"} and not segment.words[1:] and not _is_recursive(segment)
    return () if not is_search or reads_pipe else segment.words


def _is_recursive(segment: ShellSegment) -> bool:
    return any("r" in flag.lstrip("-").lower() for flag in segment.flags if not flag.startswith("--"))


def _field(summary: str, name: str) -> str:
    try:
        value = json.loads(summary)
    except (ValueError, RecursionError):  # cut, because it was long
        return ""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _opened(call: ToolCall) -> tuple[str, ...]:
    """Return the files that a call opens or changes."""
    if call.family in {"read", "edit"}:
        return (call.path,) if call.path else ()
    if call.family != "shell":
        return ()
    words = (segment.words[-1:] for segment in call.segments if segment.program in _OPENERS)
    return tuple(word for last in words for word in last if _has_ending(word))


def _plain(excerpt: str) -> str:
    """Return a result's lines: a live one comes as JSON, maybe cut, so it is not parsed."""
    return excerpt.replace('"content": "', "\n").replace("\\n", "\n").replace('\\"', '"')


def _lines(text: str, only_in: str) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of the lines of a result; where one file was searched its lines carry no path."""
    for line in text.splitlines():
        if found := _placed().match(line):
            if is_of_interest(found["path"]):
                yield found["path"], found["text"]
        elif only_in and is_of_interest(only_in):
            yield only_in, re.sub(r"^\d+[:-]", "", line)


def _paths_in(text: str) -> Iterator[str]:
    yield from (found["path"] for found in _path().finditer(text))


def _defines(symbol: str, line: str) -> bool:
    return re.search(rf"{_DEFINERS}{re.escape(symbol)}\b", line) is not None


def _is_same_file(path: str, other: str) -> bool:
    longer, shorter = (path, other) if len(path) >= len(other) else (other, path)
    shorter = shorter.removeprefix("./")
    return longer == shorter or longer.endswith(f"/{shorter}")


def _is_identifier(word: str) -> bool:
    """Tell whether a word is a name in code by its looks: a capital or an underscore inside, but not all capitals."""
    return bool(re.search(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2,}[a-z]", word)) or bool(
        re.fullmatch(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", word)
    )


def _words(part: str) -> list[str]:
    """Return the words of a pattern without a keyword: one identifier and no prose."""
    words = re.findall(r"[A-Za-z_][A-Za-z0-9_]*", part)
    return words if len(words) == 1 else []


def _has_ending(path: str) -> bool:
    return re.search(r"\w\.\w{1,8}$", path) is not None


_DEFINERS: Final = (
    r"\b(?:type|func(?:tion)?|fn|def|class|struct|interface|enum|trait|module|const|let|var|val|static|protocol|record"
    r"|impl(?:<[^>]*>)?|macro_rules!)\s+(?:\([^)]*\)\s*)?\*?"
)


@cache
def _keyword() -> re.Pattern[str]:
    return re.compile(
        r"\s*(?:(?:export|pub|public|private|async|default|abstract)\s+)*"
        r"(?:type|func(?:tion)?|fn|def|class|struct|interface|enum|trait|const|impl)\s+(?:\(?\.[*+]\??\)?\s*|\([^)]*\)\s*)?"
    )


@cache
def _placed() -> re.Pattern[str]:
    return re.compile(r"^\s*(?P<path>[\w./@+-]*\w\.\w{1,8})[:-](?:\d+[:-])?(?P<text>.*)")


@cache
def _path() -> re.Pattern[str]:
    return re.compile(r"(?m)(?:^|[\s\"'])(?P<path>[\w./@+-]*\w\.[A-Za-z]\w{0,7})(?=$|[\s\"':])")


@cache
def _not_ours() -> re.Pattern[str]:
    return re.compile(
        r"(?:^|/)(?:node_modules|vendor|third_party|dist|build|target|out|coverage|\.git|\.venv|venv|site-packages"
        r"|__pycache__|\.next|generated)/|\.lock$|-lock\.\w+$|\.min\.\w+$|\.map$|\.sum$|\.snap$|\.log$|\.generated\."
    )


def looks_of(events: Iterable[Event]) -> Iterator[Look]:
    """Yield what a session looked up, in order."""
    looks = Looks()
    for event in events:
        yield from looks.take(event)
