"""Strategies for JSON files as people and programs write them: any content, any white space, any spelling."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hypothesis import strategies as st

from wisen.install.command import MARK

# An object is a list of pairs here: keys may come twice and their order counts.
Tree: TypeAlias = "str | Arr | Obj"  # a scalar is its spelling


@dataclass(frozen=True)
class Arr:
    items: tuple[Tree, ...]


@dataclass(frozen=True)
class Obj:
    pairs: tuple[tuple[str, Tree], ...]


_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
_NAUGHTY = st.sampled_from(['"', "\\", "/", "}{", "],", "//", "/* */", "\u2028", "\ufeff", "\x00", "é", "日本", MARK])


def _spelled(text: str) -> st.SearchStrategy[str]:
    """Return the ways to write one string."""
    plain = json.dumps(text, ensure_ascii=False)
    return st.sampled_from([plain, json.dumps(text), plain.replace("/", r"\/")])


strings = (_TEXT | _NAUGHTY).flatmap(_spelled)
_NUMBERS = ["0", "-0", "1", "1.0", "1.00", "-1.5e+10", "1E400", "12345678901234567890123", "0.1e-7", "9" * 5000]
scalars = strings | st.sampled_from([*_NUMBERS, "true", "false", "null", r'"\ud800"', r'"\u0041"'])


def _deeper(inside: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    arrays = st.lists(inside, max_size=4).map(lambda found: Arr(tuple(found)))
    return arrays | _objects(inside)


def _objects(inside: st.SearchStrategy[Tree]) -> st.SearchStrategy[Obj]:
    return st.lists(st.tuples(strings, inside), max_size=4).map(lambda found: Obj(tuple(found)))


trees: st.SearchStrategy[Tree] = st.recursive(scalars, _deeper, max_leaves=12)
objects = _objects(trees)


def _foreign_group(text: str) -> Obj:
    hook = Obj((('"type"', '"command"'), ('"command"', text)))
    return Obj((('"matcher"', '"Bash"'), ('"hooks"', Arr((hook,)))))


_EVENTS = ("SessionStart", "PostToolUse", "Stop", r"Pre\u0054oolUse", "PreToolUse")
_foreign = strings.filter(lambda text: not json.loads(text).lstrip().startswith(MARK)).map(_foreign_group)
_groups = st.lists(_foreign | trees, max_size=3).map(lambda found: Arr(tuple(found)))
_hooks = st.lists(st.tuples(st.sampled_from([f'"{event}"' for event in _EVENTS]), _groups), max_size=4).map(
    lambda found: Obj(tuple(found))
)


@st.composite
def settings(draw: st.DrawFn) -> Obj:
    """A settings file of any kind in which hooks are, if anywhere, in the right shape."""
    pairs = list(draw(objects).pairs)
    pairs = [(key, inside) for key, inside in pairs if json.loads(key) != "hooks"]
    for hooks in draw(st.lists(_hooks, max_size=2)):
        pairs.insert(draw(st.integers(0, len(pairs))), ('"hooks"', hooks))
    return Obj(tuple(pairs))


# --- white space --------------------------------------------------------------------------------------------------

Blank: TypeAlias = Callable[[str, int], str]  # (before which character, depth) -> white space


def _pretty(newline: str, unit: str) -> Blank:
    def blank(before: str, depth: int) -> str:
        return " " if before == "value" else "" if before in {":", ","} else newline + unit * depth

    return blank


def _one_line(gap: str) -> Blank:
    return lambda before, _depth: gap if before in {"value", "item"} else ""


def written(tree: Tree, blank: Blank, depth: int = 0) -> str:
    """Return a tree's text, with white space where `blank` puts it."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Arr):
        parts = [written(item, blank, depth + 1) for item in tree.items]
        return _bracketed("[", parts, "]", blank, depth)
    parts = [
        f"{key}{blank(':', depth)}:{blank('value', depth)}{written(inside, blank, depth + 1)}"
        for key, inside in tree.pairs
    ]
    return _bracketed("{", parts, "}", blank, depth)


def _bracketed(start: str, parts: Sequence[str], end: str, blank: Blank, depth: int) -> str:
    if not parts:
        return start + blank("empty", depth) + end
    body = "".join(
        f"{',' if number else ''}{blank('item' if number else 'first', depth + 1)}{part}{blank(',', depth)}"
        for number, part in enumerate(parts)
    )
    return start + body + blank("end", depth) + end


@st.composite
def blanks(draw: st.DrawFn) -> Blank:
    """White space of one consistent style, or of none."""
    style = draw(st.sampled_from(["pretty", "line", "chaos"]))
    if style == "line":
        return _one_line(draw(st.sampled_from(["", " "])))
    if style == "pretty":
        return _pretty(draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(["  ", "    ", "\t", ""])))
    choices = draw(st.lists(st.text(" \t\r\n", max_size=4), min_size=1, max_size=12))
    return lambda before, depth: choices[(len(before) * 7 + depth * 3) % len(choices)]


@st.composite
def files(draw: st.DrawFn, content: st.SearchStrategy[Tree] | None = None) -> bytes:
    """A whole file: a byte order mark or none, any white space around, any style."""
    tree = draw(content if content is not None else settings())
    around = st.sampled_from(["", "\n", " ", "\r\n", "\n\n\t"])
    text = draw(around) + written(tree, draw(blanks())) + draw(around)
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def meaning(data: bytes) -> Any:
    """Return what a file means: pairs in order, numbers as they are spelled."""
    return json.loads(
        data.decode("utf-8-sig"), object_pairs_hook=lambda pairs: ("object", pairs), parse_int=str, parse_float=str
    )


def plain(data: bytes) -> dict[str, Any]:
    """Return what a file means to a program that reads it."""
    found: dict[str, Any] = json.loads(data.decode("utf-8-sig"), parse_int=str, parse_float=str)
    return found
