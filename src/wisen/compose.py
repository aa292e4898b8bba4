"""The composition root: settings and paths in, a working wisen out. Used by the daemon, the CLI's `try` and evals."""

from __future__ import annotations

import os
import pwd
import secrets
import string
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import uuid_utils

from wisen.adapters.registry import transcript_histories, transcript_readers
from wisen.config import Paths, Settings
from wisen.core.policy import Limits
from wisen.engine.capture import Capture
from wisen.engine.catch_up import CatchUp
from wisen.engine.curate import Curate
from wisen.engine.inspect import Inspect
from wisen.engine.locate import LocateRules, Locator
from wisen.engine.promote import Promote, Sweep
from wisen.engine.recall import Recall
from wisen.gitrepo import GitRepo
from wisen.ports import Clock, ControlStore, GraphStores, Ids, Redactor, RepoProbe
from wisen.redact import FloorRedactor
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

_NONCE_ALPHABET = string.ascii_lowercase + string.digits


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """Return the present moment."""
        return datetime.now(UTC)


class SystemIds:
    """UUIDv7 ids and nonces from the operating system's randomness."""

    def new_id(self) -> str:
        """Return a new UUIDv7 string."""
        return str(uuid_utils.uuid7())

    def nonce(self) -> str:
        """Return 8 random characters of [a-z0-9]."""
        return "".join(secrets.choice(_NONCE_ALPHABET) for _ in range(8))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wisen:
    """Everything an entry point calls. `close` lets go of the stores, each even if another fails."""

    paths: Paths
    settings: Settings
    control: ControlStore
    graphs: GraphStores
    redactor: Redactor
    clock: Clock
    ids: Ids
    locator: Locator
    capture: Capture
    recall: Recall
    promote: Promote
    sweep: Sweep
    curate: Curate
    inspect: Inspect
    catch_up: CatchUp
    stop_probing: Callable[[], None]

    def close(self) -> None:
        """Flush and close the stores."""
        with ExitStack() as stack:
            stack.callback(self.graphs.close)
            stack.callback(self.control.close)
            stack.callback(self.stop_probing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The world as the engine meets it through `ports`; a test replaces what it wants to be otherwise."""

    control: ControlStore
    graphs: GraphStores
    probe: RepoProbe
    redactor: Redactor
    clock: Clock
    ids: Ids
    stop_probing: Callable[[], None] = lambda: None


def real_parts(paths: Paths, env: Mapping[str, str], *, clock: Clock | None = None) -> Parts:
    """Return the user's own files, git, the machine's clock."""
    clock = clock or SystemClock()
    git = GitRepo(cache_file=paths.roots_file, env=env)
    return Parts(
        control=SqliteControl(paths.control_file),
        graphs=SqliteGraphs(paths.graphs_dir, clock),
        probe=git,
        redactor=FloorRedactor(),
        clock=clock,
        ids=SystemIds(),
        stop_probing=git.close,
    )


def compose(paths: Paths, settings: Settings, *, env: Mapping[str, str], parts: Parts | None = None) -> Wisen:
    """Return a wisen over the user's files, or over the parts given."""
    parts = parts or real_parts(paths, env)
    control, graphs, clock, ids, redactor = parts.control, parts.graphs, parts.clock, parts.ids, parts.redactor
    writing = threading.RLock()
    locator = Locator(
        probe=parts.probe, control=control, graphs=graphs, clock=clock, rules=locate_rules(paths, settings, env)
    )
    capture = Capture(control=control, locator=locator, redactor=redactor, clock=clock, ids=ids, learn=settings.learn)
    return Wisen(
        paths=paths,
        settings=settings,
        control=control,
        graphs=graphs,
        redactor=redactor,
        clock=clock,
        ids=ids,
        locator=locator,
        capture=capture,
        recall=Recall(
            control=control,
            graphs=graphs,
            capture=capture,
            clock=clock,
            ids=ids,
            limits=limits_of(settings),
            histories=transcript_histories(),
        ),
        promote=Promote(
            control=control,
            graphs=graphs,
            locator=locator,
            capture=capture,
            clock=clock,
            ids=ids,
            learn_headless=settings.learn_headless,
            writing=writing,
        ),
        sweep=Sweep(control=control, capture=capture, clock=clock),
        curate=Curate(control=control, graphs=graphs, redactor=redactor, clock=clock, ids=ids, writing=writing),
        inspect=Inspect(control=control, graphs=graphs),
        catch_up=CatchUp(control=control, capture=capture, readers=transcript_readers(), redactor=redactor),
        stop_probing=parts.stop_probing,
    )


def locate_rules(paths: Paths, settings: Settings, env: Mapping[str, str]) -> LocateRules:
    """Return what the settings say about identity; wisen's own directories are never a project."""
    return LocateRules(
        login=settings.user_id or login_of(env),
        upstreams=settings.upstreams,
        exclude=tuple(settings.exclude),
        internal_dirs=(str(paths.data_dir), str(paths.state_dir)),
    )


def limits_of(settings: Settings) -> Limits:
    """Return the recall limits the settings name."""
    return Limits(
        session_start_chars=settings.session_start_chars,
        user_prompt_chars=settings.user_prompt_chars,
        sub_task_chars=settings.sub_task_chars,
        memory_chars=settings.memory_chars,
        prompt_min_chars=settings.prompt_min_chars,
        session_start_min_confidence=settings.session_start_min_confidence,
        user_prompt_min_confidence=settings.user_prompt_min_confidence,
        sub_task_min_confidence=settings.sub_task_min_confidence,
    )


def login_of(env: Mapping[str, str]) -> str:
    """Return the OS login: the password database's word, the environment's only where that is silent."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return env.get("LOGNAME") or env.get("USER") or "user"
