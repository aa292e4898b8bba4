"""`python -I -m wisen.daemon [--for HARNESS | --asked]`: the daemon's process.

It cuts what it inherited, then claims its place and lives there. Started for a hook it first looks whether wisen is
registered still, and makes nothing when it is not.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

from wisen.config import Paths, paths
from wisen.core.pauses import in_force
from wisen.daemon.lifecycle import App, claim, live
from wisen.daemon.logfile import LogFile, log_to_stderr
from wisen.daemon.settings import settings_or_none
from wisen.daemon.starter import Starter
from wisen.daemon.stop import Stop
from wisen.errors import Refused, SettingsError, WisenError
from wisen.install import made, manifest
from wisen.ownfiles import make_private_dir, refusal
from wisen.spawn import ASKED, FOR_HARNESS, GIVEN, kept_environment
from wisen.state import failed_start, pausing, sizes

log = logging.getLogger("wisen.daemon")  # this module's own name is `__main__`


class Unwanted(Refused):
    """Nobody wants a daemon."""


def main() -> int:
    """Run as a process of its own. Returns its exit code: 0 also when another daemon is there already."""
    _detach()
    starter = Starter()
    try:
        run(paths(os.environ), sys.argv[1:], starter)
    except (WisenError, OSError) as error:
        failure = error if isinstance(error, WisenError) else refusal(error)
        if log.hasHandlers():  # what happened is all in the message; nothing to trace
            log.error("daemon_failed", extra={"code": failure.code, "error": failure.message, "hint": failure.hint})  # noqa: TRY400
        starter.tell(failure)
        return failure.exit_code
    return 0


def run(where: Paths, reason: Sequence[str], starter: Starter) -> None:
    """Run the daemon over these files. Raises WisenError or OSError; when it can't come up, it leaves a note of why."""
    try:
        _run(where, reason, starter)
    except Unwanted:
        raise
    except (WisenError, OSError) as error:
        if not starter.has_come_up:
            failed_start.note(where, error if isinstance(error, WisenError) else refusal(error), datetime.now(UTC))
        raise


def _run(where: Paths, reason: Sequence[str], starter: Starter) -> None:
    stop = Stop.on_signals()  # before anybody can find us: what is asked of a daemon it must hear
    check_wanted(where, reason)
    around = made.missing(where)
    make_private_dir(where.state_dir)
    made.note(where, around)
    file = LogFile(where.log_file)
    log_to_stderr(logging.INFO)
    settings, _ = settings_or_none(where, os.environ)
    if settings.debug:
        log_to_stderr(logging.DEBUG)

    def build(on_shutdown: Callable[[], None]) -> App:
        from wisen.daemon.app import real_app  # noqa: PLC0415 - the socket opens before this takes its time

        hears = partial(manifest.names, where)
        app = real_app(where, on_shutdown=on_shutdown, hears=hears, lost=lost)
        starter.let_go()
        return app

    place = claim(where, stop=stop)
    if place is None:
        return

    def lost() -> str:
        if place.holds(where.data_lock_file) and where.control_file.exists():
            return ""
        why = f"{where.data_dir} was deleted or replaced while it was in use"
        stop.ask(why)
        return why

    try:
        check_wanted(where, reason)  # wisen may have been taken out since, by a command that did not see us yet
    except Unwanted:
        place.leave()
        raise

    def upkeep() -> None:
        file.keep_small()
        sizes.note(where, datetime.now(UTC))

    # Over HTTP nobody starts the daemon again.
    idle_exit_s = float("inf") if settings.mcp_port else settings.idle_exit_minutes * 60
    live(place, build, stop=stop, idle_exit_s=idle_exit_s, upkeep=upkeep)


def check_wanted(where: Paths, reason: Sequence[str]) -> None:
    """Raise Unwanted when nobody wants a daemon.

    The hooks that started us are of no harness that wisen is registered with, or the user has paused wisen: then no
    hook starts one, and nobody brings memories back that the user has deleted.
    """
    if _is_paused(where):
        if list(reason) != [ASKED]:
            raise Unwanted("wisen is paused: no hook may start it", hint=_RESUME)
        if not where.data_dir.exists():
            raise Unwanted("wisen is paused, and the memories were deleted: nothing brings them back", hint=_RESUME)
    match reason:
        case [word] if word == ASKED:
            return
        case [word, harness] if word == FOR_HARNESS:
            is_wanted = manifest.names(where, harness)
        case _:  # a hook that an older wisen registered
            is_wanted = manifest.names(where)
    if not is_wanted:
        raise Unwanted(
            "wisen is not installed: no hook may start it", hint="`wisen daemon start` starts it all the same"
        )


_RESUME: Final = "`wisen resume` ends the pause"


def _is_paused(where: Paths) -> bool:
    """Return whether wisen is paused everywhere. A record that can't be read says so."""
    try:
        held = in_force(pausing.settle(where, now := datetime.now(UTC)), now)
    except SettingsError:
        return True
    return any(pause.is_everywhere for pause in held)


def _detach() -> None:
    """Let go of the parent: its session, directory, files and most of its environment."""
    with suppress(PermissionError):  # the parent saw to it
        os.setsid()
    os.chdir("/")
    os.umask(0o077)
    os.closerange(3, 1024)
    kept = {**kept_environment(os.environ), **GIVEN}
    os.environ.clear()
    os.environ.update(kept)


if __name__ == "__main__":
    sys.exit(main())
