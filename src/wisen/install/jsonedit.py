"""How does a value get into somebody else's JSON file, and out again, with every other byte unchanged?

Every edit is one splice of bytes at places that a parse names. Two rules make an insertion reversible without
remembering where it was made, so that it still comes out after the file was edited or written anew:

* with a sibling before it, an element is `,` + white space + element from the end of that sibling: taking it out
  takes exactly those bytes;
* alone in its container it takes the place of the white space between the brackets. That white space, and whether
  the container was there at all, are the only things to remember: an `Origin` for each such container.

The grammar is strict JSON (RFC 8259, a byte order mark allowed), because the programs that own these files read
strict JSON: a comment or a trailing comma is refused with its place, never repaired.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

import tree_sitter_json
from tree_sitter import Language, Node, Parser

from wisen.errors import InstallError

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Keys: TypeAlias = tuple[str, ...]

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = " \t\r\n"  # what RFC 8259 calls white space
_GRAMMAR: Final = Language(tree_sitter_json.language())
_CONTAINERS: Final = ("object", "array")


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
    """A parsed file. `root` is None when it holds only white space; offsets of nodes count from after `bom`."""

    name: str
    bom: bytes
    body: bytes
    root: Node | None

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.bom + self.body


def parse(data: bytes, *, name: str) -> Document:
    """Parse a file; `name` is what errors call it.

    Raises InstallError with line and column when it is not strict JSON in UTF-8.
    """
    bom = _BOM if data.startswith(_BOM) else b""
    body = data[len(bom) :]
    text = _decoded(body, name)
    if not text.strip(_BLANK):
        return Document(name=name, bom=bom, body=body, root=None)
    _check_strict(text, name)
    tree = Parser(_GRAMMAR).parse(body)
    root = next(iter(tree.root_node.named_children), None)
    if root is None or tree.root_node.has_error:
        raise InstallError(f"{name} is not JSON that can be edited safely", hint=_HINT)
    return Document(name=name, bom=bom, body=body, root=root)


# --- reading ----------------------------------------------------------------------------------------------------


def items(array: Node) -> tuple[Node, ...]:
    """Return the elements of an array; anything else has none."""
    return tuple(array.named_children) if array.type == "array" else ()


def members(doc: Document, node: Node) -> tuple[tuple[str, Node], ...]:
    """Return the (key, value) pairs of an object in the order of the file, a key maybe twice; anything else has none."""
    if node.type != "object":
        return ()
    return tuple((_key(doc, pair), _value_of(pair)) for pair in node.named_children)


def find(doc: Document, path: Keys) -> Node | None:
    """Return the value at a path of keys, or None. Of equal keys the last one counts, as for JavaScript."""
    node = doc.root
    for key in path:
        if node is None or node.type != "object":
            return None
        node = dict(members(doc, node)).get(key)
    return node


def text_of(doc: Document, node: Node) -> str | None:
    """Return what a string says, or None when the node is no string."""
    return str(json.loads(_bytes_of(doc, node))) if node.type == "string" else None


def holds(doc: Document, node: Node, content: Json) -> bool:
    """Return whether a node means the same as `content`; the order of keys and white space do not count."""
    return _meaning(_bytes_of(doc, node)) == _meaning(json.dumps(content).encode())


def line_of(doc: Document, node: Node) -> int:
    """Return the line on which a node starts, the first being 1."""
    return doc.body.count(b"\n", 0, node.start_byte) + 1


# --- putting in -------------------------------------------------------------------------------------------------


def append(doc: Document, path: Keys, element: Json) -> tuple[Document, tuple[Origin, ...]]:
    """Put an element at the end of the array at `path`, which is made when it is not there.

    Returns the new document and the origins of the containers that were made or were empty.
    Raises InstallError when something else is in the way.
    """
    if doc.root is None:
        nested = _nested(path, element)
        text = _rendered(nested, _Style(newline="\n", unit="  "), lead="\n") + "\n"
        origin = Origin(path=(), existed=False, inner=doc.body.decode())
        return parse(doc.bom + text.encode(), name=doc.name), (origin, *_absent(path, depth=1))
    container, depth = doc.root, 0
    while depth < len(path):
        _require(doc, container, "object", path[:depth])
        inside = find(doc, path[: depth + 1])
        if inside is None:
            break
        container, depth = inside, depth + 1
    rest = path[depth:]
    if not rest:
        _require(doc, container, "array", path)
        return _put(doc, container, path, key=None, content=element)
    changed, origins = _put(doc, container, path[:depth], key=rest[0], content=_nested(rest[1:], element))
    return changed, (*origins, *_absent(path, depth=depth + 1))


def replace(doc: Document, node: Node, content: Json) -> Document:
    """Put another value in the place of a node."""
    style = _style(doc)
    lead = _lead(doc, node)
    text = _rendered(content, style, lead=lead)
    return _spliced(doc, node.start_byte, node.end_byte, text.encode())


def _put(
    doc: Document, container: Node, path: Keys, *, key: str | None, content: Json
) -> tuple[Document, tuple[Origin, ...]]:
    """Put an element (or, with a key, a member) at the end of a container."""
    style = _style(doc)
    children = container.named_children
    if children:
        last = children[-1]
        lead = _lead(doc, last)
        text = "," + (lead or style.gap) + _labelled(key, content, style, lead)
        return _spliced(doc, last.end_byte, last.end_byte, text.encode()), ()
    start, end = container.start_byte + 1, container.end_byte - 1
    inner = doc.body[start:end].decode()
    if style.is_multiline:
        margin = style.newline + _indentation(doc, container)
        lead = margin + style.unit
        text = lead + _labelled(key, content, style, lead) + margin
    else:
        text = _labelled(key, content, style, None)
    return _spliced(doc, start, end, text.encode()), (Origin(path=path, existed=True, inner=inner),)


# --- taking out -------------------------------------------------------------------------------------------------


def remove(doc: Document, node: Node, path: Keys, was: Callable[[Keys], Origin | None]) -> Document:
    """Take an element out of the array at `path`, and every container that is then empty and was not there before.

    `was` tells how a container was; None means that it was there and held something.
    """
    target = node
    container = _container(target)
    while container is not None and len(container.named_children) == 1:
        origin = was(path)
        if origin is None or origin.existed:
            inner = origin.inner if origin else ""
            return _spliced(doc, container.start_byte + 1, container.end_byte - 1, inner.encode())
        if not path:
            return _spliced(doc, 0, len(doc.body), origin.inner.encode())
        target = container.parent or container
        container, path = _container(target), path[:-1]
    return cut(doc, target)


def cut(doc: Document, target: Node) -> Document:
    """Take one of several elements or members out of its container, with the comma that belongs to it."""
    before, after = target.prev_named_sibling, target.next_named_sibling
    start = before.end_byte if before else target.start_byte
    end = after.start_byte if after and not before else target.end_byte
    return _spliced(doc, start, end, b"")


# --- the file's own style ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How the file is written. An empty `newline` means on one line."""

    newline: str
    unit: str = ""
    gap: str = " "

    @property
    def is_multiline(self) -> bool:
        return bool(self.newline)


def _style(doc: Document) -> _Style:
    root = doc.root
    assert root is not None  # noqa: S101 - an empty file has no place to edit and is handled before
    newline = "\r\n" if b"\r\n" in doc.body else "\n"
    children = root.named_children
    if not children:
        return _Style(newline=newline, unit="  ")
    lead = _lead(doc, children[0])
    if lead is not None:
        return _Style(newline=newline, unit=lead.lstrip("\r\n") or "")
    text = doc.body[root.start_byte : root.end_byte]
    if b"\n" in text:
        return _Style(newline=newline, unit="  ")
    return _Style(newline="", gap=" " if b'": ' in text or b", " in text else "")


def _lead(doc: Document, node: Node) -> str | None:
    """Return the line break and indentation before a node, or None when it is not the first on its line."""
    before = doc.body[: node.start_byte].decode()
    indentation = before[len(before.rstrip(" \t")) :]
    rest = before[: len(before) - len(indentation)]
    if rest.endswith("\r\n"):
        return "\r\n" + indentation
    return "\n" + indentation if rest.endswith("\n") else None


def _indentation(doc: Document, node: Node) -> str:
    """Return the white space at the start of the line that a node is on."""
    line = doc.body[doc.body.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].decode()
    return line[: len(line) - len(line.lstrip(" \t"))]


def _rendered(content: Json, style: _Style, *, lead: str | None) -> str:
    """Return a value's text: on lines of its own when it starts one, else on one line."""
    if lead is None:
        return json.dumps(content, ensure_ascii=False, separators=("," + style.gap, ":" + style.gap))
    return json.dumps(content, ensure_ascii=False, indent=style.unit).replace("\n", lead)


def _labelled(key: str | None, content: Json, style: _Style, lead: str | None) -> str:
    text = _rendered(content, style, lead=lead)
    if key is None:
        return text
    return json.dumps(key, ensure_ascii=False) + ":" + (" " if lead is not None else style.gap) + text


# --- pieces -----------------------------------------------------------------------------------------------------

_HINT: Final = "nothing was written; correct the file (the program that owns it ignores it as it is) and try again"


def _spliced(doc: Document, start: int, end: int, text: bytes) -> Document:
    return parse(doc.bom + doc.body[:start] + text + doc.body[end:], name=doc.name)


def _nested(path: Keys, element: Json) -> Json:
    """Return the array that holds an element, wrapped in the objects that lead to it."""
    content: Json = [element]
    for key in reversed(path):
        content = {key: content}
    return content


def _absent(path: Keys, *, depth: int) -> tuple[Origin, ...]:
    return tuple(Origin(path=path[:length], existed=False) for length in range(depth, len(path) + 1))


def _container(node: Node) -> Node | None:
    parent = node.parent
    return parent if parent is not None and parent.type in _CONTAINERS else None


def _bytes_of(doc: Document, node: Node) -> bytes:
    return doc.body[node.start_byte : node.end_byte]


def _meaning(data: bytes) -> object:
    """Return parsed JSON, with numbers as they are spelled: they may be longer than any number type takes."""
    meant: object = json.loads(data, parse_int=_spelled, parse_float=_spelled)
    return meant


def _spelled(number: str) -> tuple[str, str]:
    return ("number", number)


def _key(doc: Document, pair: Node) -> str:
    name = pair.child_by_field_name("key")
    assert name is not None  # noqa: S101 - the grammar has no pair without a key
    return str(json.loads(_bytes_of(doc, name)))


def _value_of(pair: Node) -> Node:
    content = pair.child_by_field_name("value")
    assert content is not None  # noqa: S101 - the grammar has no pair without a value
    return content


def _require(doc: Document, node: Node, kind: str, path: Keys) -> None:
    if node.type != kind:
        where = ".".join(path) or "the file"
        raise InstallError(
            f"{doc.name}:{line_of(doc, node)}: {where} holds {_article(node.type)}, not {_article(kind)}", hint=_HINT
        )


def _article(kind: str) -> str:
    return f"an {kind}" if kind in _CONTAINERS else kind if kind in {"null", "true", "false"} else f"a {kind}"


def _decoded(body: bytes, name: str) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise InstallError(f"{name}:{line}: not UTF-8 (byte {body[error.start]:#04x})", hint=_HINT) from error


def _check_strict(text: str, name: str) -> None:
    """Let the standard library judge: the grammar of the parse tree is laxer (comments, several values)."""
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
