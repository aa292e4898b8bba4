"""How does a value get into somebody else's JSON file, and out again, with every other byte unchanged?

Every edit is one splice of the text at places that a parse names. Two rules make an insertion reversible without
remembering where it was made, so that it still comes out after the file was edited or written anew:

* with a sibling before it, an element is `,` + white space + element from the end of that sibling: taking it out
  takes exactly those characters;
* alone in its container it takes the place of the white space between the brackets. That white space, and whether
  the container was there at all, are the only things to remember: an `Origin` for each such container.

The grammar is strict JSON (RFC 8259, a byte order mark allowed), because the programs that own these files read
strict JSON: a comment or a trailing comma is refused with its place, never repaired. The standard library judges what
is JSON; the scan below only finds the places, which the standard library does not tell, and the tree-sitter grammar
for JSON can't be asked for: it knows no `1e+21`, and does know comments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias

from wisen.errors import InstallError

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Keys: TypeAlias = tuple[str, ...]  # of the objects from the root down to a container
Place: TypeAlias = tuple[int, ...]  # which child to take at each step from the root down

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = " \t\r\n"  # what RFC 8259 calls white space
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[]{}[]|[^]{}[,:" \t\r\n]+', re.DOTALL)
_KINDS: Final = {"{": "object", "[": "array", '"': "string", "t": "true", "f": "false", "n": "null"}
_HINT: Final = "nothing was written; correct the file (the program that owns it ignores it as it is) and try again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value in the text, from `start` to `end`. As a member of an object it has a `key`, which begins at `begin`."""

    kind: str
    start: int
    end: int
    begin: int
    key: str | None = None
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """How a container was before something was put into it: absent, or empty with `inner` between its brackets.

    The path () is the document: not `existed` means that the file held nothing but `inner`.
    """

    path: Keys
    existed: bool
    inner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed file: its bytes are `bom` and then `text`. `root` is None when it holds only white space."""

    name: str
    bom: bytes
    text: str
    root: Node | None

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.bom + self.text.encode()


def parse(data: bytes, *, name: str) -> Document:
    """Parse a file; `name` is what errors call it.

    Raises InstallError, with the line, when it is not strict JSON in UTF-8.
    """
    bom = _BOM if data.startswith(_BOM) else b""
    return _parsed(name, bom, _decoded(data[len(bom) :], name))


# --- reading ----------------------------------------------------------------------------------------------------


def members(node: Node | None) -> Mapping[str, Node]:
    """Return the members of an object; anything else has none. Of equal keys the last one counts, as in JavaScript."""
    children = node.children if node is not None else ()
    return {child.key: child for child in children if child.key is not None}


def at(doc: Document, place: Place) -> Node | None:
    """Return the node at a place."""
    node = doc.root
    for number in place:
        node = node.children[number] if node is not None else None
    return node


def string(doc: Document, node: Node | None) -> str | None:
    """Return what a string says, or None when the node is no string."""
    return str(json.loads(_source(doc, node))) if node is not None and node.kind == "string" else None


def holds(doc: Document, node: Node, content: Json) -> bool:
    """Return whether a node means the same as `content`; the order of keys and white space do not count."""
    return _meaning(_source(doc, node)) == _meaning(json.dumps(content))


# --- putting in -------------------------------------------------------------------------------------------------


def append(doc: Document, path: Keys, element: Json) -> tuple[Document, tuple[Origin, ...]]:
    """Put an element at the end of the array at `path`, which is made when it is not there.

    Returns the new document and the origins of the containers that were made or were empty.
    Raises InstallError when something else is in the way.
    """
    if doc.root is None:
        text = _rendered(_nested(path, element), _Style(newline="\n", unit="  "), lead="\n") + "\n"
        origin = Origin(path=(), existed=False, inner=doc.text)
        return _parsed(doc.name, doc.bom, text), (origin, *_absent(path, depth=1))
    container = doc.root
    for depth, key in enumerate(path):
        _require(doc, container, "object", path[:depth])
        inside = members(container).get(key)
        if inside is None:
            changed, origins = _put(doc, container, path[:depth], key, _nested(path[depth + 1 :], element))
            return changed, (*origins, *_absent(path, depth=depth + 1))
        container = inside
    _require(doc, container, "array", path)
    return _put(doc, container, path, None, element)


def put(doc: Document, path: Keys, content: Json) -> tuple[Document, tuple[Origin, ...]]:
    """Put a member at the end of an object; the last key of `path` is its own, the object is made when it is not there.

    Returns the new document and the origins of the containers that were made or were empty.
    Raises InstallError when something else is in the way, or the member is there already.
    """
    if doc.root is None:
        text = _rendered(_wrapped(path, content), _Style(newline="\n", unit="  "), lead="\n") + "\n"
        origin = Origin(path=(), existed=False, inner=doc.text)
        return _parsed(doc.name, doc.bom, text), (origin, *_absent(path[:-1], depth=1))
    container = doc.root
    for depth, key in enumerate(path):
        _require(doc, container, "object", path[:depth])
        inside = members(container).get(key)
        if inside is None:
            changed, origins = _put(doc, container, path[:depth], key, _wrapped(path[depth + 1 :], content))
            return changed, (*origins, *_absent(path[:-1], depth=depth + 1))
        container = inside
    raise InstallError(f"{doc.name}: {'.'.join(path)} is there already", hint=_HINT)


def replace(doc: Document, node: Node, content: Json) -> Document:
    """Put another value in the place of a node."""
    lead = _lead(doc, node.begin)
    return _spliced(doc, node.start, node.end, _rendered(content, _style(doc), lead))


def _put(
    doc: Document, container: Node, path: Keys, key: str | None, content: Json
) -> tuple[Document, tuple[Origin, ...]]:
    """Put an element (or, with a key, a member) at the end of a container."""
    style = _style(doc)
    if container.children:
        last = container.children[-1]
        lead = _lead(doc, last.begin)
        text = "," + (style.gap if lead is None else lead) + _labelled(key, content, style, lead)
        return _spliced(doc, last.end, last.end, text), ()
    start, end = container.start + 1, container.end - 1
    if style.newline:
        margin = style.newline + _indentation(doc, container.start)
        lead = margin + style.unit
        text = lead + _labelled(key, content, style, lead) + margin
    else:
        text = _labelled(key, content, style, None)
    return _spliced(doc, start, end, text), (Origin(path=path, existed=True, inner=doc.text[start:end]),)


# --- taking out -------------------------------------------------------------------------------------------------


def remove(doc: Document, place: Place, was: Callable[[Keys], Origin | None]) -> Document:
    """Take a value out, and every container that is then empty and was not there before.

    `was` tells how a container was; None means that it was there and held something.
    """
    line = [node for length in range(len(place) + 1) if (node := at(doc, place[:length])) is not None]
    for depth in range(len(place) - 1, -1, -1):
        container, target = line[depth], line[depth + 1]
        if len(container.children) > 1:
            return _cut(doc, container, place[depth], target)
        path = tuple(node.key or "" for node in line[1 : depth + 1])
        origin = was(path)
        if origin is None or origin.existed:
            return _spliced(doc, container.start + 1, container.end - 1, origin.inner if origin else "")
    origin = was(())
    return _spliced(doc, 0, len(doc.text), origin.inner if origin else "")


def _cut(doc: Document, container: Node, number: int, target: Node) -> Document:
    """Take one of several children out, with the comma that belongs to it."""
    if number:
        return _spliced(doc, container.children[number - 1].end, target.end, "")
    return _spliced(doc, target.begin, container.children[1].begin, "")


# --- the file's own style ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How a file is written: on lines, indented by `unit`; or, with an empty `newline`, on one line."""

    newline: str
    unit: str = ""
    gap: str = " "


def _style(doc: Document) -> _Style:
    text = doc.text
    newline = "\r\n" if "\r\n" in text else "\n"
    if doc.root is None or not doc.root.children:
        return _Style(newline=newline, unit="  ")
    first = doc.root.children[0]
    lead = _lead(doc, first.begin)
    if lead is not None:
        return _Style(newline=newline, unit=lead.lstrip("\r\n").removeprefix(_indentation(doc, doc.root.start)))
    if "\n" in text.strip(_BLANK):
        return _Style(newline=newline, unit="  ")
    return _Style(newline="", gap=" " if text[first.start - 1] == " " else "")


def _lead(doc: Document, at: int) -> str | None:
    """Return the line break and indentation before a place, or None when it is not the first on its line."""
    start = doc.text.rfind("\n", 0, at)
    indentation = doc.text[start + 1 : at]
    if start < 0 or indentation.strip(" \t"):
        return None
    return ("\r\n" if doc.text[start - 1 : start] == "\r" else "\n") + indentation


def _indentation(doc: Document, at: int) -> str:
    """Return the white space at the start of the line that a place is on."""
    line = doc.text[doc.text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _rendered(content: Json, style: _Style, lead: str | None) -> str:
    """Return a value's text: on lines of its own when it starts one, else on one line."""
    if lead is None:
        return json.dumps(content, ensure_ascii=False, separators=("," + style.gap, ":" + style.gap))
    return json.dumps(content, ensure_ascii=False, indent=style.unit).replace("\n", lead)


def _labelled(key: str | None, content: Json, style: _Style, lead: str | None) -> str:
    text = _rendered(content, style, lead)
    return text if key is None else f"{json.dumps(key)}:{' ' if lead is not None else style.gap}{text}"


# --- pieces -----------------------------------------------------------------------------------------------------


def _spliced(doc: Document, start: int, end: int, text: str) -> Document:
    return _parsed(doc.name, doc.bom, doc.text[:start] + text + doc.text[end:])


def _nested(path: Keys, element: Json) -> Json:
    """Return the array that holds an element, wrapped in the objects that lead to it."""
    return _wrapped(path, [element])


def _wrapped(path: Keys, content: Json) -> Json:
    for key in reversed(path):
        content = {key: content}
    return content


def _absent(path: Keys, *, depth: int) -> tuple[Origin, ...]:
    return tuple(Origin(path=path[:length], existed=False) for length in range(depth, len(path) + 1))


def _source(doc: Document, node: Node) -> str:
    return doc.text[node.start : node.end]


def _meaning(text: str) -> object:
    """Return parsed JSON, with numbers as they are spelled: they may be longer than any number type takes."""
    meant: object = json.loads(text, parse_int=_spelled, parse_float=_spelled)
    return meant


def _spelled(number: str) -> tuple[str, str]:
    return ("number", number)


def _require(doc: Document, node: Node, kind: str, path: Keys) -> None:
    if node.kind != kind:
        line = doc.text.count("\n", 0, node.start) + 1
        where = ".".join(path) or "the file"
        raise InstallError(f"{doc.name}:{line}: {where} is no {kind} but: {_source(doc, node)[:40]}", hint=_HINT)


# --- the parser -------------------------------------------------------------------------------------------------


def _parsed(name: str, bom: bytes, text: str) -> Document:
    if not text.strip(_BLANK):
        return Document(name=name, bom=bom, text=text, root=None)
    _check_strict(text, name)
    return Document(name=name, bom=bom, text=text, root=_scanned(text))


def _decoded(body: bytes, name: str) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise InstallError(f"{name}:{line}: not UTF-8 (byte {body[error.start]:#04x})", hint=_HINT) from error


def _check_strict(text: str, name: str) -> None:
    try:
        json.loads(text, parse_constant=_no_constant, parse_int=_spelled, parse_float=_spelled)
    except json.JSONDecodeError as error:
        raise InstallError(f"{name}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}", hint=_HINT) from error
    except _NotStrict as error:
        raise InstallError(f"{name}: not valid JSON: {error} is no value", hint=_HINT) from error
    except RecursionError as error:
        raise InstallError(f"{name}: nested too deeply to be settings", hint=_HINT) from error


class _NotStrict(ValueError):
    """A word that the standard library reads and JSON does not know."""


def _no_constant(word: str) -> NoReturn:
    raise _NotStrict(word)


@dataclass(slots=True, kw_only=True)
class _Open:
    """A container whose end was not read yet. `key` and `begin` are its own; `label` is that of its next member."""

    kind: str
    start: int
    begin: int
    key: str | None
    label: tuple[str, int] | None = None
    children: list[Node] = field(default_factory=list)

    def take_label(self, start: int) -> tuple[str | None, int]:
        """Return the key and the beginning of the child whose value starts at `start`."""
        key, begin = self.label or (None, start)
        self.label = None
        return key, begin


def _scanned(text: str) -> Node:
    """Return the tree of a text that is known to be JSON."""
    document = _Open(kind="document", start=0, begin=0, key=None)
    line = [document]
    for token in _TOKEN.finditer(text):
        word, start, end = token[0], token.start(), token.end()
        top = line[-1]
        if word in "]}":
            line.pop()
            node = Node(
                kind=top.kind, start=top.start, end=end, begin=top.begin, key=top.key, children=tuple(top.children)
            )
            line[-1].children.append(node)
        elif top.kind == "object" and top.label is None:
            top.label = (json.loads(word), start)
        else:
            key, begin = top.take_label(start)
            kind = _KINDS.get(word[0], "number")
            if word in "[{":
                line.append(_Open(kind=kind, start=start, begin=begin, key=key))
            else:
                top.children.append(Node(kind=kind, start=start, end=end, begin=begin, key=key))
    return document.children[0]
