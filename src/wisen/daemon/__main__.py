"""`python -I -m wisen.daemon`: the daemon's process. Cuts what it inherited, then claims its place and lives there."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from wisen.config import Paths, Settings, load_settings, make_private_dir, paths
from wisen.daemon.lifecycle import App, claim, live
from wisen.daemon.logfile import LogFile, log_to_stderr
from wisen.daemon.stop import Stop
from wisen.errors import SettingsError, WisenError
from wisen.spawn import kept_environment

log = logging.getLogger("wisen.daemon")  # this module's own name is `__main__`


def main() -> int:
    """Run as a process of its own. Returns its exit code: 0 also when another daemon is there already."""
    _detach()
    return run(paths(os.environ))


def run(where: Paths) -> int:
    """Run the daemon over these files. Returns its exit code."""
    stop = Stop.on_signals()  # before anybody can find us: what is asked of a daemon it must hear
    make_private_dir(where.state_dir)
    file = LogFile(where.log_file)
    settings, problems = _settings(where)
    log_to_stderr(logging.DEBUG if settings.debug else logging.INFO)
    for problem in problems:
        log.error("settings_refused", extra={"error": problem})

    def build(on_shutdown: Callable[[], None]) -> App:
        from wisen.daemon.app import build_app  # noqa: PLC0415 - the socket opens before this takes its time

        return build_app(where, settings, on_shutdown=on_shutdown, problems=problems)

    try:
        place = claim(where, stop=stop)
        if place is not None:
            live(place, build, stop=stop, idle_exit_s=settings.idle_exit_minutes * 60, upkeep=file.keep_small)
    except WisenError as error:
        # What happened is all in the message; nothing to trace.
        log.error("daemon_failed", extra={"code": error.code, "error": error.message, "hint": error.hint})  # noqa: TRY400
        return error.exit_code
    return 0


def _settings(where: Paths) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings and what is wrong with them. Settings that can't be read may say no: then nothing is done."""
    try:
        return load_settings(where, os.environ), ()
    except SettingsError as error:
        return Settings(recall=False, learn=False), (error.message,)


def _detach() -> None:
    """Let go of the parent: its session, directory, files and most of its environment."""
    with suppress(PermissionError):  # the parent saw to it
        os.setsid()
    os.chdir("/")
    os.umask(0o077)
    os.closerange(3, 1024)
    kept = kept_environment(os.environ)
    os.environ.clear()
    os.environ.update(kept)


if __name__ == "__main__":
    sys.exit(main())
