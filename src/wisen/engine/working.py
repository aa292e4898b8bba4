"""The working states of the sessions that are open, in the daemon's memory and nowhere else."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from wisen.core.records import Session
from wisen.core.working import Due, WorkingState, heard, recalled

MOST_SESSIONS: Final = 500

Key = tuple[str, str]


class Working:
    """What each session has in mind; of the sessions that were silent longest nothing is kept."""

    def __init__(self) -> None:
        self._states: OrderedDict[Key, WorkingState] = OrderedDict()
        self._lock = threading.Lock()

    def heard(self, session: Session, text: str, *, refresh_every: int) -> Due | None:
        """Take a prompt; return why it is worth a recall, None where it is not."""
        with self._lock:
            state, due = heard(self._of(_key(session)), text, refresh_every=refresh_every)
            self._keep(_key(session), state)
            return due

    def recalled(self, key: Key, text: str, shown: tuple[str, ...]) -> None:
        """Note that a session was given what a prompt recalls, be it nothing."""
        with self._lock:
            self._keep(key, recalled(self._of(key), text, shown=shown))

    def state(self, key: Key) -> WorkingState:
        """Return what a session has in mind."""
        with self._lock:
            return self._of(key)

    def _of(self, key: Key) -> WorkingState:
        return self._states.get(key, WorkingState())

    def _keep(self, key: Key, state: WorkingState) -> None:
        self._states[key] = state
        self._states.move_to_end(key)
        while len(self._states) > MOST_SESSIONS:
            self._states.popitem(last=False)


def _key(session: Session) -> Key:
    return session.harness, session.session_id
