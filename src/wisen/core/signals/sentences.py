"""Which parts of a prompt are the user speaking, sentence by sentence, and which were pasted or put in by a program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

EXCERPT_CHARS: Final = 80
"""How much of a part that is not speech is shown in an explanation."""

_WRAPPED_CHARS: Final = 60
"""A line this long without an end mark, followed by one that starts in lower case, is one sentence wrapped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence the user said, or (with `dropped` set: why) the start of a part that is not their speech.

    `paragraph` numbers the runs of lines between blank ones; `item` is set for a bullet or a numbered line.
    """

    text: str
    paragraph: int = 0
    item: bool = False
    dropped: str = ""

    @property
    def is_question(self) -> bool:
        """Does it end in a question mark of any script?"""
        return self.text.rstrip("\"')]* ").endswith(("?", "？", "؟", "?!"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    text: str
    dropped: str = ""


def sentences(text: str) -> tuple[Sentence, ...]:
    """Split a prompt into the user's sentences and, marked as dropped, everything that is not their speech."""
    lines = _without_pastes(_without_blocks(_without_machinery(text.replace("\r\n", "\n"))))
    return _merged(_split(_unwrapped(lines)))


def spoken_chars(parts: tuple[Sentence, ...]) -> int:
    """Return how many characters of the prompt are the user's own speech."""
    return sum(len(part.text) for part in parts if not part.dropped)


# --- what programs put into prompts -----------------------------------------------------------------------------

_MACHINERY: Final = frozenset({"wisen-memory", "system-reminder", "task-notification", "private"})
"""Wrappers that swallow everything behind them when they are never closed. Others count only when closed."""


@cache
def _tags() -> re.Pattern[str]:
    # A name with a hyphen or an underscore is a program's: <system-reminder>, <command-name>, <ide_selection>.
    return re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+|private)\b([^<>\n]{0,300})>", re.IGNORECASE)


@cache
def _nonce() -> re.Pattern[str]:
    return re.compile(r"""\bid\s*=\s*["']?([^"'\s>]+)""")


def _without_machinery(text: str) -> Iterator[_Line]:
    """Cut wrapped parts out; what is left comes as lines."""
    at = 0
    tags = list(_tags().finditer(text))
    closers = _closers(tags)
    for tag in tags:
        if tag.start() < at or tag[1]:
            continue
        name = tag[2].lower()
        end = _next_after(closers.get((name, _id_of(tag)), []), tag.end())
        if end is None and name not in _MACHINERY:
            continue
        yield from _plain(text[at : tag.start()])
        yield _Line(text=text[tag.start() : tag.start() + EXCERPT_CHARS], dropped=f"inside <{name}>")
        at = len(text) if end is None else end
    yield from _plain(text[at:])


def _closers(tags: list[re.Match[str]]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for tag in reversed(tags):
        if tag[1]:
            found.setdefault((tag[2].lower(), _id_of(tag)), []).append(tag.end())
    return found


def _next_after(ends: list[int], at: int) -> int | None:
    # The list is descending and openers come in ascending order: what lies behind is never asked for again.
    while ends and ends[-1] <= at:
        ends.pop()
    return ends[-1] if ends else None


def _id_of(tag: re.Match[str]) -> str:
    # Only our own fence repeats its nonce when it closes: what stands inside can't know it.
    found = _nonce().search(tag[3]) if tag[2].lower() == "wisen-memory" else None
    return found[1] if found else ""


def _plain(text: str) -> Iterator[_Line]:
    # Not splitlines: a prompt may hold U+2028 and its like in the middle of a sentence.
    yield from (_Line(text=line) for line in text.split("\n"))


# --- what users paste -------------------------------------------------------------------------------------------


def _without_blocks(lines: Iterator[_Line]) -> Iterator[_Line]:
    """Mark fenced code, quoted lines, and everything from the first heading on: that is a document."""
    fence = ""
    document = False
    for line in lines:
        head = line.text.lstrip()
        if line.dropped:
            yield line
        elif fence:
            yield replace(line, dropped="code block")
            fence = "" if head.startswith(fence) and not head.strip(fence[0]).strip() else fence
        elif head.startswith(("```", "~~~")):
            fence = head[:3]
            yield replace(line, dropped="code block")
        elif document or _heading().match(head):
            document = True
            yield replace(line, dropped="pasted document")
        elif head.startswith((">", "│", "┃", "▌")):
            yield replace(line, dropped="quoted")
        else:
            yield line


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(r"#{1,6} \S|\*\*(?:severity|priority|context|summary)\b|<!DOCTYPE|={4,}$", re.IGNORECASE)


_PASTES: Final = (
    ("terminal", r"(?:[$%❯➜#] +\S|[\w.-]+@[\w.-]+[:~ ].*[$#%] |PS [A-Z]:\\|\(?eval\)?:\d+:|\w*sh:(?: line)? ?\d+:)"),
    ("agent output", r"(?:[⏺⎿●✻✢✳◯☐☒✔✗✘╭╰├└]|.*[│┃║].*[│┃║])"),
    ("table", r"(?:\|.*\|\s*$|[-+|=]{5,}\s*$)"),
    (
        "log",
        (
            r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[ .,]|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR"
            r"|FATAL)\b\]?[: ])"
        ),
    ),
    ("log", r"(?:.*\b(?:level|msg|ts)=\S)"),
    (
        "traceback",
        (
            r"(?:Traceback \(most|\s*File \"[^\"]+\", line \d|\s+at \S+ ?\(|[A-Z]\w*(?:Error|Exception)\b: "
            r"|goroutine \d|panic: )"
        ),
    ),
    (
        "compiler output",
        r"(?:\S+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?[: ]|(?:error|warning|fatal|note|hint|npm ERR!|ERR!)(?:\[\w+\])?: )",
    ),
    ("test output", r"(?:--- (?:FAIL|PASS|SKIP)|=== RUN|(?:ok|FAIL|PASS)\s+\S+/\S+|E {2,}\S)"),
    ("diff", r"(?:diff --git |@@ .*@@|index [0-9a-f]{7,}\.\.|(?:\+\+\+|---) (?:[ab]/|/dev/null|\S+\.\w+))"),
    ("data", r"(?:[{}\[\]]+,?\s*$|\s*\"[^\"]+\"\s*:\s|[{\[]\s*\"|<\?xml)"),
    (
        "code",
        (
            r"(?:.*[;{]\s*$|(?:import|from|def|class|func|function|const|let|var|return|package|export"
            r"|public)\b.*[({;=:]\s*\S*\s*$)"
        ),
    ),
    ("link", r"(?:<?https?://\S+>?[.,]?\s*$)"),
    (
        "finding of a review",
        r"(?:[-*\d.) ]*(?:\[|\*\*)?\[?(?:P[0-4]|HIGH|MEDIUM|LOW|CRITICAL|MAJOR|MINOR|NIT)\b[\]*:) ])",
    ),
)
"""How the lines of other programs begin. Matched at the start of a line."""


@cache
def _paste_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(pattern)) for name, pattern in _PASTES)


_LONGEST_LINE: Final = 4_000  # nobody types that in one line


def _without_pastes(lines: Iterator[_Line]) -> Iterator[_Line]:
    """Mark lines that look like another program's output; inside a diff also the changed lines."""
    held = list(lines)
    diff = _has_diff(held)
    for line in held:
        yield line if line.dropped or not line.text.strip() else replace(line, dropped=_paste(line.text, diff=diff))


def _paste(line: str, *, diff: bool) -> str:
    if len(line) > _LONGEST_LINE:
        return "pasted text"
    if diff and line.startswith(("+", "-", "@@")):
        return "diff"
    return next((name for name, pattern in _paste_patterns() if pattern.match(line)), "")


def _has_diff(lines: list[_Line]) -> bool:
    plain = [line.text for line in lines if not line.dropped]
    starts = {text[:1] for text in plain}
    return ({"+", "-"} <= starts) or any(text.startswith(("diff --git ", "@@ ")) for text in plain)


# --- lines to sentences -----------------------------------------------------------------------------------------


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")


@cache
def _end_mark() -> re.Pattern[str]:
    return re.compile(
        r"(?<=[。！？])|(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bbzw\.)(?<!\bz\.B\.)\s+"
    )


def _unwrapped(lines: Iterator[_Line]) -> Iterator[_Line]:
    """Join what an editor wrapped."""
    held: _Line | None = None
    for line in lines:
        if held is None:
            held = line
        elif _continues(held, line):
            held = replace(held, text=f"{held.text.rstrip()} {line.text.strip()}")
        else:
            yield held
            held = line
    if held is not None:
        yield held


def _continues(line: _Line, following: _Line) -> bool:
    if line.dropped or following.dropped:
        return False
    end = line.text.rstrip()[-1:]
    return len(line.text) >= _WRAPPED_CHARS and (end.isalnum() or end == ",") and following.text[:1].islower()


def _split(lines: Iterator[_Line]) -> Iterator[Sentence]:
    paragraph = 0
    for line in lines:
        text = line.text.strip()
        if line.dropped:
            yield Sentence(text=text[:EXCERPT_CHARS], paragraph=paragraph, dropped=line.dropped)
            continue
        if not text:
            paragraph += 1
            continue
        bullet = _bullet().match(line.text)
        body = line.text[bullet.end() :] if bullet else text
        for part in _end_mark().split(body):
            if any(char.isalnum() for char in part):
                yield Sentence(text=part.strip(), paragraph=paragraph, item=bool(bullet))


def _merged(parts: Iterator[Sentence]) -> tuple[Sentence, ...]:
    """Make a run of dropped lines with one reason one part."""
    kept: list[Sentence] = []
    for part in parts:
        if not (part.dropped and kept and kept[-1].dropped == part.dropped):
            kept.append(part)
    return tuple(kept)
