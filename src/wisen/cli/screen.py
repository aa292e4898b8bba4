"""How something is shown to a person: a table on a terminal, plain lines in a pipe, JSON when asked for.

Everything that is printed passes `visible` here, so that no memory can move the cursor or hide its text.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import click

from wisen.errors import UsageError

Tone: TypeAlias = Literal["plain", "strong", "faint", "good", "bad"]

_STYLES: Final[Mapping[Tone, Mapping[str, object]]] = {
    "plain": {},
    "strong": {"bold": True},
    "faint": {"dim": True},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
}
_LABEL_CHARS: Final = 12
_GAP_CHARS: Final = 2
_HANG_CHARS: Final = 2
_ROOM_MIN_CHARS: Final = 20
# A column of text that is narrower than this reads badly: spare columns make room for it.
_ROOM_GOOD_CHARS: Final = 32
_MARK: Final = re.compile(r" *[-!] (?=\S)")
_YES_OR_NO: Final = ("yes", "no")

# Control characters but newline, bidirectional overrides, line and paragraph separators, lone surrogates and tag
# characters: what can act on a terminal, reorder a line, or carry words that nobody sees.
_UNSEEN: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return text with every character that acts or hides written as an escape; a tab becomes a space."""
    return _UNSEEN.sub(lambda found: " " if found[0] == "\t" else f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """Return text on one line, runs of white space as one space."""
    return visible(" ".join(text.split()))


def clipped(text: str, max_chars: int) -> str:
    """Return text on one line, cut to `max_chars` with an ellipsis."""
    line = one_line(text)
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"


def wrapped(text: str, width: int, *, indent: int = 0) -> list[str]:
    """Return paragraphs as rows of at most `width`, cut between words only: a long path can still be copied whole.

    A paragraph that is itself indented goes on a little further in, and so does one that begins with a mark (`-`, `!`),
    which stays with its first word.
    """
    rows: list[str] = []
    for paragraph in text.split("\n"):
        lead = len(paragraph) - len(paragraph.lstrip(" "))
        mark = _MARK.match(paragraph)
        first = " " * (indent + lead) + (mark[0].strip(" ") + " " if mark else "")
        rows += textwrap.wrap(
            paragraph.removeprefix(mark[0] if mark else "").strip(" "),
            max(width, len(first) + _ROOM_MIN_CHARS),
            initial_indent=first,
            subsequent_indent=" " * (len(first) if mark else len(first) + (_HANG_CHARS if lead else 0)),
            break_on_hyphens=False,
            break_long_words=False,
        ) or [""]
    return rows


def labelled(label: str, text: str, width: int) -> list[str]:
    """Return a text behind its label, wrapped between words and indented to it where there is a width."""
    if not width:
        return [f"{label} {visible(text)}"]
    head, *rest = wrapped(visible(text), width, indent=len(label) + 1)
    return [f"{label} {head.lstrip(' ')}", *rest]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table. `max_lines` cuts a cell on a terminal to so many lines; 0 never cuts.

    On a terminal that is too narrow for the flexible one, those with a `spare` are left out, the highest first.
    """

    name: str
    numeric: bool = False
    flexible: bool = False
    max_lines: int = 0
    spare: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Where output goes. `width` is in columns and matters on a terminal only.

    `error_width` is that of standard error, which may be a terminal where standard output is none, and 0 if it is none.
    """

    terminal: bool
    colour: bool
    width: int
    error_width: int = 0

    def line(self, text: str = "", *, tone: Tone = "plain", indent: int = 0) -> None:
        """Print paragraphs, wrapped on a terminal."""
        for row in self._wrapped(visible(text), indent):
            click.echo(self._styled(row, tone), color=self.colour)

    def aside(self, text: str) -> None:
        """Print what is about the output and not part of it: faint on a terminal, otherwise on standard error."""
        if self.terminal:
            self.line(text, tone="faint")
            return
        with suppress(OSError):  # it matters less than what was asked for
            rows = wrapped(one_line(text), self.error_width) if self.error_width else [one_line(text)]
            click.echo("\n".join(rows), err=True)

    def fields(self, rows: Sequence[tuple[str, str]], *, indent: int = 2, label_chars: int = _LABEL_CHARS) -> None:
        """Print label and value pairs under one another; pairs without a value are left out."""
        for label, value in rows:
            if not value:
                continue
            head, *rest = self._wrapped(visible(value), indent + label_chars)
            start = f"{'':{indent}}{label:{label_chars}}"
            click.echo(self._styled(start, "faint") + head.lstrip(" "), color=self.colour)
            for row in rest:
                click.echo(row, color=self.colour)

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Print rows: a table on a terminal, otherwise one row a line with tabs between whole cells."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        if self.terminal:
            self._rich_table(columns, cells)
            return
        click.echo("\t".join(column.name for column in columns))
        for row in cells:
            click.echo("\t".join(row))

    def json(self, value: object) -> None:
        """Print JSON, in ASCII so that it is the same on every terminal."""
        import json

        click.echo(json.dumps(value, indent=2))

    def warn(self, text: str) -> None:
        """Print a warning on standard error, whatever the output is: one line, wrapped on a terminal."""
        with suppress(OSError):  # a lost warning is no reason to stop
            click.echo("\n".join(labelled("warning:", one_line(text), self.error_width)), err=True)

    def raw(self, text: str) -> None:
        """Print text that is wisen's own or meant for another program."""
        click.echo(text, color=False)

    def confirm(self, question: str, *, what: str) -> None:
        """Go on only if the person says yes; `what` says why it is asked.

        Raises UsageError without a terminal, and leaves the command when the answer is no.
        """
        self.need_person(what)
        if self.choose(f"{question} [y/N]", _YES_OR_NO, default="no") == "no":
            self.line("Nothing was changed.")
            raise click.exceptions.Exit(1)

    def need_person(self, what: str) -> None:
        """Raise UsageError where nobody can be asked; called before anything is shown, so that `--json` stays JSON."""
        if not self.terminal:
            raise UsageError(f"{what}, and nobody is there to ask", hint="add --yes when you are sure")

    def choose(self, question: str, answers: Sequence[str], *, default: str) -> str:
        """Return one of the answers, typed whole or by its first letter; asks until it is one of them."""
        while True:
            typed = click.prompt(visible(question), default="", show_default=False).strip().lower() or default
            for answer in answers:
                if typed in {answer, answer[0]}:
                    return answer
            self.line(f"That is none of them. Type {', '.join(answer[0] for answer in answers)}.")

    def _wrapped(self, text: str, indent: int) -> list[str]:
        if self.terminal:
            return wrapped(text, self.width, indent=indent)
        return [" " * indent + row for row in text.split("\n")]

    def _styled(self, text: str, tone: Tone) -> str:
        styles = _STYLES[tone]
        return click.style(text, **styles) if self.colour and styles else text  # type: ignore[arg-type]

    def _rich_table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        columns, rows, room = _fitting(columns, rows, self.width)
        # The box costs one column between two cells, the padding the rest of the gap.
        table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, _GAP_CHARS - 1, 0, 0), pad_edge=False)
        for column in columns:
            justify: Literal["left", "right"] = "right" if column.numeric else "left"
            table.add_column(column.name, justify=justify, no_wrap=not column.flexible, overflow="fold")
        for row in rows:
            table.add_row(*(Text(_cut(cell, column, room)) for cell, column in zip(row, columns, strict=True)))
        console = Console(width=self.width, color_system="auto" if self.colour else None, highlight=False)
        with console.capture() as drawn:
            console.print(table)
        for line in drawn.get().splitlines():
            click.echo(line.rstrip(), color=self.colour)


def _fitting(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int
) -> tuple[Sequence[Column], Sequence[Sequence[str]], int]:
    """Return the columns that fit, their rows, and the room of the flexible column: all of it, or what is left."""
    lengths = [max(map(len, column)) for column in zip([c.name for c in columns], *rows, strict=True)]
    flexible = max((length for length, c in zip(lengths, columns, strict=True) if c.flexible), default=0)
    kept = list(range(len(columns)))
    spare = sorted((at for at in kept if columns[at].spare), key=lambda at: columns[at].spare)
    while True:
        fixed = sum(lengths[at] for at in kept if not columns[at].flexible)
        room = width - fixed - _GAP_CHARS * (len(kept) - 1)
        if room >= min(flexible, _ROOM_GOOD_CHARS) or not spare:
            break
        kept.remove(spare.pop())
    return [columns[at] for at in kept], [[row[at] for at in kept] for row in rows], max(room, _ROOM_MIN_CHARS)


def _cut(cell: str, column: Column, room: int) -> str:
    """Return a cell as lines of at most `room`, no more of them than its column allows."""
    if not column.max_lines:
        return cell
    return "\n".join(textwrap.wrap(cell, room, max_lines=column.max_lines, placeholder=" …", break_on_hyphens=False))
