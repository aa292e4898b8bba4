"""Which MCP server of Claude Code's own file is ours, and how does it get in and out?

User-wide servers stand in `.claude.json`, beside Claude Code's own state. A session writes that file anew whenever it
has something to note, and keeps what others put in: it reads the file again under a lock, a directory beside it. Our
edits are made under the same lock. No copy of the file is kept, because an API key may be in it.

Ours is known by the program it runs, whatever it is named; somebody else's server of our name is left alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wisen.config import home_dir
from wisen.errors import Conflict
from wisen.install import jsonedit
from wisen.install.command import places_of
from wisen.install.jsonedit import Document, Json, Node, Origin, Place

SERVERS: Final = "mcpServers"
NAME: Final = "wisen"
MODULE: Final = "wisen.relay"

_STALE_S: Final = 10.0  # Claude Code's own measure: a holder touches the lock more often than that
_LOCK_LIMIT_S: Final = 5.0
_POLL_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server of ours in a file. `program` is the interpreter it runs, '' when that can't be read."""

    name: str
    place: Place
    node: Node
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A file with our server in it, what was done in words, and what to remember to take it out without a trace."""

    document: Document
    origins: tuple[Origin, ...]
    changes: tuple[str, ...]
    note: str = ""


def file_of(env: Mapping[str, str]) -> Path:
    """Return Claude Code's own file, whether it is there or not."""
    chosen = env.get("CLAUDE_CONFIG_DIR")
    return (Path(chosen).absolute() if chosen else home_dir(env)) / ".claude.json"


def wanted_server(python: Path, harness: str, env: Mapping[str, str]) -> Mapping[str, Json]:
    """Return the server to register. The directories that the installation chose are fixed in it, as in the hooks.

    Raises InstallError for a path that a settings file can't hold.
    """
    places = places_of(env)
    args = ["-I", "-m", MODULE, "--harness", harness]
    return {"type": "stdio", "command": str(python), "args": args, "env": places}


def found(doc: Document) -> tuple[Server, ...]:
    """Return our servers in the order of the file."""
    return tuple(_found(doc))


def register(doc: Document, wanted: Mapping[str, Json], origins: Sequence[Origin]) -> Registered:
    """Put our server in, or renew it in its place. `origins` are those of an earlier registration.

    Raises InstallError when something else is where servers belong.
    """
    ours = found(doc)
    if ours:
        if jsonedit.holds(doc, ours[0].node, wanted):
            return Registered(document=doc, origins=tuple(origins), changes=())
        changed = jsonedit.replace(doc, ours[0].node, wanted)
        return Registered(document=changed, origins=tuple(origins), changes=("renew the MCP server",))
    if NAME in jsonedit.members(jsonedit.members(doc.root).get(SERVERS)):
        note = f"note: {doc.name} has another MCP server named {NAME}; it was left alone, and wisen's is not added"
        return Registered(document=doc, origins=(), changes=(), note=note)
    changed, fresh = jsonedit.put(doc, (SERVERS, NAME), wanted)
    return Registered(document=changed, origins=fresh, changes=(f"add the MCP server {NAME}",))


def unregister(doc: Document, origins: Sequence[Origin] | None) -> Document:
    """Take our servers out, and the container if it was made for them. None: nothing is remembered, so it was."""
    presumed = (Origin(path=(SERVERS,), existed=False),)
    was = {origin.path: origin for origin in (presumed if origins is None else origins)}.get
    while (server := next(_found(doc), None)) is not None:
        doc = jsonedit.remove(doc, server.place, was)
    return doc


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Keep Claude Code from writing its file meanwhile. Raises Conflict when it does not let go of it.

    Where the lock can't be made at all (a directory that may not be written), the edit itself says why it fails.
    """
    if not file.exists():
        yield
        return
    lock = file.with_name(f"{file.name}.lock")
    deadline = time.monotonic() + _LOCK_LIMIT_S
    while True:
        try:
            lock.mkdir()
            break
        except FileExistsError:
            if _is_stale(lock):
                with suppress(OSError):
                    lock.rmdir()
            elif time.monotonic() > deadline:
                raise Conflict(f"{file} is locked by another program", hint="run the command again") from None
            time.sleep(_POLL_S)
        except OSError:
            yield
            return
    try:
        yield
    finally:
        with suppress(OSError):
            lock.rmdir()


def _is_stale(lock: Path) -> bool:
    try:
        return time.time() - lock.stat().st_mtime > _STALE_S
    except OSError:
        return False


def _found(doc: Document) -> Iterator[Server]:
    for at, servers in enumerate(doc.root.children if doc.root is not None else ()):
        if servers.key != SERVERS or servers.kind != "object":
            continue
        for number, node in enumerate(servers.children):
            fields = jsonedit.members(node)
            args = fields.get("args")
            said = [jsonedit.string(doc, one) for one in args.children] if args is not None else []
            if MODULE in said:
                program = jsonedit.string(doc, fields.get("command")) or ""
                yield Server(name=node.key or "", place=(at, number), node=node, program=program)


def gone(doc: Document) -> str:
    """Return the program of a server of ours that can't be run any more, '' where each can."""
    return next((one.program for one in found(doc) if not os.access(one.program, os.X_OK)), "")
