"""Why wisen does nothing: settings refused, a directory excluded, a pause, learning or recall switched off."""

from __future__ import annotations

from typing import Final

from wisen.cli.answers import Standing, read
from wisen.cli.app import App
from wisen.cli.options import Scope
from wisen.cli.words import EXCLUDED, PAUSED

DISABLED: Final = "WISEN_DISABLE=1 in this shell: a session that you begin here goes on without wisen."


def standing(app: App, scope: Scope | None = None) -> Standing:
    """Return how wisen stands as a whole, and in a directory."""
    return read(app.get("/v1/status", scope.place if scope else None), Standing)


def refusal(found: Standing) -> str:
    """Return what the daemon has against its settings, '' when it works with them."""
    if not found.settings_refused:
        return ""
    problem = found.problems[0] if found.problems else "`wisen daemon log` says why"
    return f"settings refused: nothing is learned or recalled until mended: {problem}"


def no_recall(found: Standing) -> str:
    """Return why nothing is recalled in the directory now, '' when it is."""
    return _either(found) or (
        "" if found.recall else "Recall is off by your settings (`recall`): no agent is given a memory."
    )


def no_learning(found: Standing) -> str:
    """Return why nothing is learned in the directory now, '' when it is."""
    return _either(found) or (
        "" if found.learn else "Learning is off by your settings (`learn`): no prompt becomes a memory."
    )


def reasons(app: App, found: Standing) -> tuple[str, ...]:
    """Return everything that is off, in this directory, by the settings or in this shell."""
    disabled = DISABLED if app.env.get("WISEN_DISABLE") == "1" else ""
    known = (disabled, no_recall(found), no_learning(found))
    return tuple(dict.fromkeys(reason for reason in known if reason))


def warned(app: App, scope: Scope) -> Standing:
    """Return how wisen stands, after one line on standard error if its settings are refused."""
    found = standing(app, scope)
    if reason := refusal(found):
        app.screen.warn(reason)
    return found


def _either(found: Standing) -> str:
    if reason := refusal(found):
        return reason[0].upper() + reason[1:]
    if found.repo.excluded:
        return EXCLUDED
    return PAUSED if found.repo.paused else ""
