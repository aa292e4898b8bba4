"""wisen as a plugin of Claude Code: which files make one, and where do they lie?

A marketplace of one plugin, below wisen's data directory: the hooks and the MCP server that would else stand in the
user's own files, and a command `/wisen:remember`. Claude Code takes it from there when its user says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from wisen import __version__
from wisen.config import Paths
from wisen.install.claude_json import NAME, SERVERS
from wisen.install.hooks_file import HOOKS, Wanted
from wisen.install.jsonedit import Json

PLUGIN: Final = f"{NAME}@{NAME}"  # plugin and marketplace have one name
HOOKS_FILE: Final = "hooks.json"
MARKETPLACE: Final = ".claude-plugin/marketplace.json"

_ABOUT: Final = "Long-term memory for coding agents: a CLAUDE.md that writes itself."
_REMEMBER: Final = """\
---
description: Remember a rule or a fact for later sessions.
argument-hint: what to remember
---

The user asks you to remember this, in these words:

$ARGUMENTS

Call the `remember` tool of the wisen server once, with these words as `text` and nothing added, then say in one line
what it answered. Do nothing else.
"""

_README: Final = """\
# wisen

Long-term memory for coding agents. wisen learns the rules you state in your sessions, the step that mended a failing
command and the place of what is looked up again and again, and gives them back in later sessions.

This plugin was made by `wisen install claude-code --plugin` on this machine and is of use on it alone: its hooks and
its MCP server run the wisen that is installed here. `/wisen:remember TEXT` remembers something by hand; `wisen list`
shows what is remembered. `wisen uninstall claude-code` takes this folder away.
"""


def folder(paths: Paths) -> Path:
    """Return the marketplace's folder, whether it is there or not."""
    return paths.data_dir / "plugin"


def is_there(paths: Paths) -> bool:
    """Return whether wisen is installed as a plugin, as far as wisen's own part goes."""
    return (folder(paths) / MARKETPLACE).exists()


def contents(paths: Paths, hooks: Sequence[Wanted], server: Mapping[str, Json]) -> dict[Path, bytes]:
    """Return the plugin's files; the first one is the marketplace's own."""
    owner = {"name": "The wisen developers"}
    plugin = {"name": NAME, "source": "./wisen", "description": _ABOUT, "version": __version__}
    by_event: dict[str, list[Mapping[str, Json]]] = {}
    for hook in hooks:
        by_event.setdefault(hook.event, []).append(hook.group)
    found: dict[str, object] = {
        MARKETPLACE: {"name": NAME, "owner": owner, "metadata": {"description": _ABOUT}, "plugins": [plugin]},
        "wisen/.claude-plugin/plugin.json": {
            "name": NAME,
            "version": __version__,
            "description": _ABOUT,
            "author": owner,
            "license": "MIT",
        },
        f"wisen/hooks/{HOOKS_FILE}": {HOOKS: by_event},
        "wisen/.mcp.json": {SERVERS: {NAME: server}},
    }
    root = folder(paths)
    files = {
        root / name: (json.dumps(said, indent=2, ensure_ascii=False) + "\n").encode() for name, said in found.items()
    }
    texts = {"wisen/commands/remember.md": _REMEMBER, "wisen/README.md": _README}
    return files | {root / name: text.encode() for name, text in texts.items()}
