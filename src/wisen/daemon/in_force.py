"""Which settings hold right now? The wisen in force, composed anew over the same stores when the file has changed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from pathlib import Path

from wisen.compose import Parts, Wisen, compose
from wisen.config import Paths
from wisen.daemon.settings import settings_or_none

log = logging.getLogger(__name__)

_Stamp = tuple[int, int, int] | None


class InForce:
    """Looks at the settings file whenever it is asked; a look costs some microseconds."""

    def __init__(self, paths: Paths, parts: Parts, env: Mapping[str, str]) -> None:
        self._paths = paths
        self._parts = parts
        self._env = env
        self._lock = threading.Lock()
        self._stamp = _stamp(paths.config_file)
        self._wisen, self._problems = self._composed()

    @property
    def wisen(self) -> Wisen:
        """The engine under the settings of this moment."""
        self._look()
        return self._wisen

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the settings of this moment; with anything, nothing is learned or recalled."""
        self._look()
        return self._problems

    def close(self) -> None:
        """Let go of the stores, which every wisen here shares."""
        self._wisen.close()

    def _look(self) -> None:
        stamp = _stamp(self._paths.config_file)
        if stamp == self._stamp:
            return
        with self._lock:
            if stamp != self._stamp:
                self._wisen, self._problems = self._composed()
                self._stamp = stamp
                log.info("settings_read_again")

    def _composed(self) -> tuple[Wisen, tuple[str, ...]]:
        settings, problems = settings_or_none(self._paths, self._env)
        return compose(self._paths, settings, env=self._env, parts=self._parts), problems


class Fixed:
    """A wisen whose settings do not change: a test's."""

    def __init__(self, wisen: Wisen, problems: tuple[str, ...] = ()) -> None:
        self.wisen = wisen
        self.problems = problems

    def close(self) -> None:
        """Let go of the stores."""
        self.wisen.close()


def _stamp(file: Path) -> _Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
