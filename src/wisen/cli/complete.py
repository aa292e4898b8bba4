"""What a shell may put at the cursor: ids of memories, names of settings and harnesses.

Completion never starts anything, never waits for long, and says nothing when it does not know.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from wisen.cli.app import App, JsonObject
from wisen.cli.options import harness_here
from wisen.cli.screen import clipped
from wisen.core.shortids import short
from wisen.errors import WisenError

Answer = TypeVar("Answer")
Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_PATIENCE_S: Final = 0.3
_MOST: Final = 200
_HELP_CHARS: Final = 60


def memories(status: str) -> Completer:
    """Return a completer of the ids of memories here with one of the statuses (separated by commas)."""

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(short, help=clipped(text, _HELP_CHARS))
            for short, text in _memories(ctx, status)
            if short.startswith(incomplete)
        ]

    return complete


def batches(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a batch of changes here, the newest first."""
    from collections import Counter

    from wisen.cli.answers import Journal

    answer = _asked(ctx, "/v1/journal", {"limit": _MOST}, Journal)
    counts = Counter(short(entry.batch) for entry in answer.entries if entry.batch) if answer else Counter()
    return [
        CompletionItem(short, help=f"{count} changes at once")
        for short, count in counts.items()
        if short.startswith(incomplete)
    ]


def harnesses(_ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a harness."""
    from wisen.install.registry import HARNESSES

    return _beginning(HARNESSES, incomplete)


def settings(_ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a setting."""
    from wisen.config import FIELDS

    return [
        CompletionItem(name, help=clipped(field.description, _HELP_CHARS))
        for name, field in FIELDS.items()
        if name.startswith(incomplete)
    ]


def setting_values(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the value of a setting that is true or false."""
    from wisen.config import FIELDS

    field = FIELDS.get(ctx.params.get("name") or "")
    return _beginning(("true", "false"), incomplete) if field and isinstance(field.default, bool) else []


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _memories(ctx: click.Context, status: str) -> list[tuple[str, str]]:
    """Return (short id, text) of the memories of the place that the line names so far; none without a daemon."""
    from wisen.cli.answers import Listing

    answer = _asked(ctx, "/v1/memories", {"status": status, "limit": _MOST}, Listing)
    return [(memory.short, memory.text) for memory in answer.memories] if answer else []


def _asked(ctx: click.Context, path: str, query: JsonObject, form: type[Answer]) -> Answer | None:
    """Return the daemon's answer about the place that the line names so far; None when it has none."""
    from wisen.cli.answers import read

    app = ctx.find_object(App)
    if app is None:
        return None
    given = ctx.params
    try:
        place = {
            "cwd": os.path.abspath(given.get("cwd") or "."),  # noqa: PTH100 - as `options` does it
            "harness": given.get("harness") or harness_here(ctx),
            "graph": given.get("graph") or "",
        }
        return read(app.get(path, {**place, **query}, start=False, timeout_s=_PATIENCE_S), form)
    except (WisenError, OSError):
        return None
