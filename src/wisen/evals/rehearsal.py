"""`wisen learn --dry-run`: the same reading and promotion into a store that is thrown away, in this process.

The user's settings, exclusions and pauses hold; their memories are not looked at, so what is known already shows as
new. Nothing outside a temporary directory is written.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from wisen.compose import Parts, SystemClock, SystemIds, compose
from wisen.config import Paths, load_settings
from wisen.core.past import Learned, PastSession
from wisen.engine.learn import Learn, Wanted
from wisen.gitrepo import GitRepo
from wisen.redact import FloorRedactor
from wisen.state import beginning
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.keeping import Upkeep


@contextmanager
def rehearsal(
    where: Paths, env: Mapping[str, str], *, harness: str
) -> Iterator[Callable[[PastSession, tuple[str, ...], str], Learned]]:
    """Lend what learns from a session, `beside` others, with `repo`, into a throw-away store. Raises SettingsError."""
    settings = load_settings(where, env)
    clock = SystemClock()
    with tempfile.TemporaryDirectory(prefix="wisen-learn-") as home:
        own = replace(where, data_dir=Path(home) / "data", backups_dir=Path(home) / "backups")
        git = GitRepo(env=env)
        parts = Parts(
            control=SqliteControl(own.control_file, Upkeep(now=clock.now, copies=own.backups_dir)),
            graphs=SqliteGraphs(own.graphs_dir, clock, copies=own.backups_dir),
            probe=git,
            redactor=FloorRedactor(),
            clock=clock,
            ids=SystemIds(),
            stop_probing=git.close,
            not_before=beginning.noted(where, clock.now()),
        )
        without_model = msgspec.structs.replace(settings, embedding="off")
        wisen = compose(own, without_model, env=env, parts=parts)
        try:
            yield partial(_learned, wisen.learn, harness)
        finally:
            wisen.close()


def _learned(engine: Learn, harness: str, session: PastSession, beside: tuple[str, ...], repo: str) -> Learned:
    return engine.learn(
        Wanted(
            harness=harness,
            path=session.path,
            session_id=session.session_id,
            cwd=session.cwd,
            beside=beside,
            repo=repo,
        )
    )
