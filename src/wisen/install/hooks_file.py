"""Which hooks of a settings file are ours, and how do they get in and out?

The shape is Claude Code's: `hooks` holds for each event a list of groups `{matcher?, hooks: [{type, command, ...}]}`.
Ours are found by their command, wherever the user or the harness moved them; everything else is foreign and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wisen.install import jsonedit
from wisen.install.command import is_ours
from wisen.install.jsonedit import Document, Json, Keys, Node, Origin, Place

HOOKS: Final = "hooks"

# How far down a group is: the root's `hooks`, its event, the group.
_GROUP: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One hook to register. `timeout_s` None leaves the harness's own; `is_async`: the harness does not wait for it."""

    event: str
    command: str
    matcher: str = ""
    timeout_s: int | None = None
    is_async: bool = False

    @property
    def hook(self) -> Mapping[str, Json]:
        """The hook as it stands in the file."""
        timeout: dict[str, Json] = {} if self.timeout_s is None else {"timeout": self.timeout_s}
        is_async: dict[str, Json] = {"async": True} if self.is_async else {}
        return {"type": "command", "command": self.command, **timeout, **is_async}

    @property
    def group(self) -> Mapping[str, Json]:
        """The group that holds the hook."""
        matcher: dict[str, Json] = {"matcher": self.matcher} if self.matcher else {}
        return {**matcher, HOOKS: [self.hook]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One hook of ours in a file. `is_shared`: its group holds somebody else's hooks too."""

    event: str
    command: str
    place: Place
    hook: Node
    group: Node
    is_shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A file with our hooks in it, by event what was done, and what to remember to take them out without a trace."""

    document: Document
    origins: tuple[Origin, ...]
    added: tuple[str, ...]
    renewed: tuple[str, ...]
    dropped: tuple[str, ...]


def found(doc: Document) -> tuple[Found, ...]:
    """Return our hooks in the order of the file."""
    return tuple(_found(doc))


def is_current(doc: Document, wanted: Sequence[Wanted]) -> bool:
    """Return whether the wanted hooks are there and no others of ours."""
    hits = {hit.event: hit for hit in _found(doc)}
    return len(hits) == len(found(doc)) == len(wanted) and all(
        want.event in hits and _is_right(doc, hits[want.event], want) for want in wanted
    )


def register(doc: Document, wanted: Sequence[Wanted], origins: Sequence[Origin]) -> Registered:
    """Put our hooks in: what is right stays as it is, what is old is renewed in its place, what is missing is added.

    `origins` are those of an earlier registration. Raises InstallError when something else is where hooks belong.
    """
    wants = {want.event: want for want in wanted}
    dropped: list[str] = []
    renewed: list[str] = []
    while (stray := _stray(doc, wants)) is not None:
        doc = _without(doc, stray, _was(origins))
        dropped.append(stray.event)
    while (old := _outdated(doc, wants)) is not None:
        doc = jsonedit.replace(doc, old.group, wants[old.event].group)
        renewed.append(old.event)
    present = {hit.event for hit in _found(doc)}
    missing = tuple(event for event in wants if event not in present)
    remembered = {origin.path: origin for origin in origins} if present else {}
    for event in missing:
        doc, fresh = jsonedit.append(doc, (HOOKS, event), wants[event].group)
        remembered |= {origin.path: origin for origin in fresh}
    return Registered(
        document=doc,
        origins=tuple(remembered.values()),
        added=tuple(event for event in missing if event not in dropped),
        renewed=(*renewed, *(event for event in missing if event in dropped)),
        dropped=tuple(event for event in dict.fromkeys(dropped) if event not in wants),
    )


def unregister(doc: Document, origins: Sequence[Origin]) -> Document:
    """Take our hooks out, and with them what was made for them and is empty now."""
    was = _was(origins)
    while (hit := next(_found(doc), None)) is not None:
        doc = _without(doc, hit, was)
    return doc


def _without(doc: Document, hit: Found, was: Callable[[Keys], Origin | None]) -> Document:
    return jsonedit.remove(doc, hit.place if hit.is_shared else hit.place[:_GROUP], was)


def presumed_origins(doc: Document) -> tuple[Origin, ...]:
    """Return the origins to go by when none are remembered: the lists that hold our hooks were made for them."""
    paths = dict.fromkeys(path for hit in _found(doc) for path in ((HOOKS,), (HOOKS, hit.event)))
    return tuple(Origin(path=path, existed=False) for path in paths)


def _was(origins: Sequence[Origin]) -> Callable[[Keys], Origin | None]:
    return {origin.path: origin for origin in origins}.get


def _stray(doc: Document, wants: Mapping[str, Wanted]) -> Found | None:
    """Return a hook of ours that has no business where it is, or can't be renewed in its place."""
    seen: set[str] = set()
    for hit in _found(doc):
        want = wants.get(hit.event)
        if want is None or hit.event in seen or (hit.is_shared and not _is_right(doc, hit, want)):
            return hit
        seen.add(hit.event)
    return None


def _outdated(doc: Document, wants: Mapping[str, Wanted]) -> Found | None:
    return next((hit for hit in _found(doc) if not _is_right(doc, hit, wants[hit.event])), None)


def _is_right(doc: Document, hit: Found, want: Wanted) -> bool:
    """Return whether a hook is as wanted; in a shared group, whether it is so beside the others."""
    if not hit.is_shared:
        return jsonedit.holds(doc, hit.group, want.group)
    matcher = jsonedit.members(hit.group).get("matcher")
    said = "" if matcher is None else jsonedit.string(doc, matcher)
    return said == want.matcher and jsonedit.holds(doc, hit.hook, want.hook)


def _found(doc: Document) -> Iterator[Found]:
    """Look through everything that has the right shape; what has not is none of our business."""
    for place, hooks in _children(doc.root, (), "object"):
        if hooks.key == HOOKS:
            for event_place, event in _children(hooks, place, "object"):
                for group_place, group in _children(event, event_place, "array"):
                    yield from _found_in(doc, event.key or "", group, group_place)


def _found_in(doc: Document, event: str, group: Node, place: Place) -> Iterator[Found]:
    for list_place, hooks in _children(group, place, "object"):
        if hooks.key == HOOKS:
            commands = [
                (hook_place, hook, jsonedit.string(doc, jsonedit.members(hook).get("command")) or "")
                for hook_place, hook in _children(hooks, list_place, "array")
            ]
            ours = [one for one in commands if is_ours(one[2])]
            is_shared = len(ours) < len(commands)
            for hook_place, hook, command in ours:
                yield Found(event=event, command=command, place=hook_place, hook=hook, group=group, is_shared=is_shared)


def _children(node: Node | None, place: Place, kind: str) -> Iterator[tuple[Place, Node]]:
    """Yield the children of a node of this kind with their places."""
    if node is not None and node.kind == kind:
        yield from (((*place, number), child) for number, child in enumerate(node.children))
