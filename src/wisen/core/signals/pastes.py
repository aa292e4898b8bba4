"""Which lines of a prompt the user pasted: fenced, quoted, below a heading, or shaped like another program's output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from wisen.core.signals.asking import opens_with_an_ask
from wisen.core.signals.lines import Line

CODE: Final = "code block"
QUOTED: Final = "quoted"

_CLOSED: Final = 2  # fences in a line, the second of which closes


def without_pastes(lines: Iterable[Line]) -> Iterator[Line]:
    """Mark every line that was pasted. One that opens with asking to remember never is, but in a fence or a quote."""
    held = list(_without_documents(list(_without_blocks(_without_inline_fences(lines)))))
    diff = _has_diff(held)
    for line in held:
        why = "" if line.dropped or not line.text.strip() else _paste(line.text, diff=diff)
        yield replace(line, dropped=why) if why and not opens_with_an_ask(line.text) else line


def _without_inline_fences(lines: Iterable[Line]) -> Iterator[Line]:
    """Part a line at a fence that opens and closes inside of it, or opens behind words: what is fenced is quoted."""
    for line in lines:
        opens = line.text.lstrip().startswith(("```", ">")) and line.text.count("```") < _CLOSED
        if line.dropped or opens or "```" not in line.text:
            yield line
            continue
        for number, piece in enumerate(re.split(r"```+", line.text)):
            if piece.strip():
                yield replace(line, text=piece.strip(), dropped=QUOTED if number % 2 else "")


def _without_blocks(lines: Iterable[Line]) -> Iterator[Line]:
    """Mark fenced code and quoted lines."""
    fence = ""
    for line in lines:
        head = line.text.lstrip()
        if line.dropped:
            yield line
        elif fence:
            yield replace(line, dropped=CODE)
            fence = "" if head.startswith(fence) and not head.strip(fence[0]).strip() else fence
        elif head.startswith(("```", "~~~")):
            fence = head[:3]
            yield replace(line, dropped=CODE)
        elif head.startswith((">", "│", "┃", "▌")):
            yield replace(line, dropped=QUOTED)
        else:
            yield line


def _without_documents(lines: Sequence[Line]) -> Iterator[Line]:
    """Mark from the first heading on; the user speaks again with an ask, or in prose behind the last section.

    Between two headings nobody but the document asks. Where a line with a colon brings it ("have a look at this:"), it
    begins there, and goes on to the end.
    """
    heads = [
        at
        for at, line in enumerate(lines)
        if not line.dropped and _heading().match(line.text.lstrip()) and not opens_with_an_ask(line.text)
    ]
    first, end = (heads[0], _end_of_document(lines, heads[-1])) if heads else (0, 0)
    if len(heads) > 1 and (brought := _brought_by_a_colon(lines[:first])):
        first, end = brought, len(lines)
    for at, line in enumerate(lines):
        is_theirs = bool(heads) and heads[0] < at < heads[-1]  # who speaks does so before a text, or behind it
        inside = first <= at < end and not line.dropped and (is_theirs or not opens_with_an_ask(line.text))
        yield replace(line, dropped="pasted document") if inside else line


def _brought_by_a_colon(lines: Sequence[Line]) -> int:
    """Return the line that follows a line of the user's which ends in a colon, above a blank line; 0 without one."""
    spoken = [at for at, line in enumerate(lines) if line.text.strip() and not line.dropped]
    brings = (at for at in spoken if lines[at].text.rstrip().endswith((":", "：")))
    return next((at + 1 for at in brings if at + 1 == len(lines) or not lines[at + 1].text.strip()), 0)


def _end_of_document(lines: Sequence[Line], last_heading: int) -> int:
    """The line at which the user speaks again: an ask, or prose below a blank line below the section's text."""
    has_text = is_below_blank = False
    for at in range(last_heading + 1, len(lines)):
        text = lines[at].text
        if opens_with_an_ask(text) or (has_text and is_below_blank and text[:1].isalpha()):
            return at
        is_below_blank = not text.strip()
        has_text = has_text or not is_below_blank
    return len(lines)


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(r"#{1,6} \S|\*\*(?:severity|priority|context|summary)\b|<!DOCTYPE|={4,}$", re.IGNORECASE)


_PASTES: Final = (
    ("terminal", r"\.{1,2}/[\w./-]+ +(?:[\w./-]+ +)*--?\w"),
    (
        "terminal",
        r"(?:[$%❯➜#] +\S|[\w.-]+@[\w.-]+[:~ ].*[$#%] |PS [A-Z]:\\|\(?eval\)?:\d+:|\w*sh:(?: line)? ?\d+:)",
    ),
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
            r"(?:Traceback \(most|\s*File \"[^\"]+\", line \d|\s+at \S+ ?\(|[A-Z]\w*(?:Error|Exception"
            r"|Warning)\b: |goroutine \d|panic: )"
        ),
    ),
    (
        "compiler output",
        (
            r"(?:\S+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?[: ]|(?:error|warning|fatal|hint|ERR!)(?:\[\w+\])?: "
            r"|note(?:\[\w+\])?: (?=`|expected|required|consider|see)"
            r"|(?:npm|pnpm|yarn|pip|cargo) (?i:warn(?:ing)?|err!|error|notice)\b|[A-Z]{1,4}\d{3,5}: )"
        ),
    ),
    ("test output", r"(?:--- (?:FAIL|PASS|SKIP)|=== RUN|(?:ok|FAIL|PASS)\s+\S+/\S+|E {2,}\S)"),
    ("display of a tool", r"\s*[⎿●⏺]"),
    ("diff", r"(?:diff --git |@@(?: .*@@|$)|index [0-9a-f]{7,}\.\.|(?:\+\+\+|---) (?:[ab]/|/dev/null|\S+\.\w+))"),
    ("data", r"(?:[{}\[\]]+,?\s*$|\s*\"[^\"]+\"\s*:\s|[{\[]\s*\"|<\?xml)"),
    (
        "code",
        (
            r"(?:.*[;{]\s*$|\s*(?://|/\*|<!--|-- \w)|(?:const|let|var) \w+(?:: \w+)? ?= ?\S"
            r"|(?:import|from|def|class|func|function|const|let|var|return|package|export"
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


def _paste(line: str, *, diff: bool) -> str:
    if len(line) > _LONGEST_LINE:
        return "pasted text"
    if diff and (_in_diff().match(line) or line.startswith("@@")):
        return "diff"
    return next((name for name, pattern in _paste_patterns() if pattern.match(line)), "")


def _has_diff(lines: list[Line]) -> bool:
    plain = [line.text for line in lines if not line.dropped]
    signs = {found["sign"] for text in plain if (found := _in_diff().match(text))}
    return ({"+", "-"} <= signs) or any(
        text.strip() == "@@" or text.startswith(("diff --git ", "@@ ")) for text in plain
    )


@cache
def _in_diff() -> re.Pattern[str]:
    """How a changed line begins: by its sign, maybe indented, or behind its number as an agent shows it."""
    return re.compile(r"\s*(?:\d+\s+)?(?P<sign>[-+])|\s*\d+\s{2,}\S")
