"""The composition root: settings and paths in, a working wisen out. Used by the daemon, the CLI's `try` and evals."""

from __future__ import annotations

import os
import pwd
import secrets
import string
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import uuid_utils

from wisen.adapters.registry import past_readers, transcript_histories, transcript_readers, transcript_sizes
from wisen.adapters.shell import segments
from wisen.config import Paths, Settings, home_dir
from wisen.core.policy import Limits
from wisen.engine.capture import Capture
from wisen.engine.carry import Carry
from wisen.engine.catch_up import CatchUp
from wisen.engine.curate import Curate
from wisen.engine.embed import Embed
from wisen.engine.guide import GuideCheck
from wisen.engine.inspect import Inspect
from wisen.engine.learn import Learn
from wisen.engine.locate import LocateRules, Locator
from wisen.engine.observe import Observe
from wisen.engine.promote import Promote, Sweep
from wisen.engine.recall import Recall
from wisen.engine.why_not import WhyNot
from wisen.gitrepo import GitRepo, GuidesOnDisk, WorkTreeOnDisk
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.ports import Clock, ControlStore, Embedders, GraphStores, Guides, Ids, Redactor, RepoProbe, WorkTree
from wisen.redact import FloorRedactor, RememberingRedactor, with_scanner
from wisen.state import beginning
from wisen.state.backups import Backups, Means
from wisen.state.pausing import Pauses
from wisen.store.leftovers import places_holding
from wisen.store.sqlite.backup import backup_all, read_manifest, verify_backup
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.keeping import Upkeep
from wisen.store.sqlite.restore import finish_restore, restore_backup

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
    learn: Learn
    guide: GuideCheck
    carry: Carry
    why_not: WhyNot
    embed: Embed
    embedders: Embedders
    stop_probing: Callable[[], None]

    def close(self) -> None:
        """Flush and close the stores."""
        with ExitStack() as stack:
            stack.callback(self.graphs.close)
            stack.callback(self.control.close)
            stack.callback(self.stop_probing)
            stack.callback(self.embedders.close)


class Models:
    """The embedding models under the settings of the moment: loaded ones stay when other settings change."""

    def __init__(self, fixed: Embedders | None = None) -> None:
        self._held = fixed
        self._is_fixed = fixed is not None
        self._config: EmbeddingConfig | None = None
        self._lock = threading.Lock()

    def of(self, config: EmbeddingConfig) -> Embedders:
        """Return the models of a configuration, and let go of those of another."""
        with self._lock:
            if self._held is None or (config != self._config and not self._is_fixed):
                if self._held is not None:
                    self._held.close()
                self._held, self._config = EmbedderChain(config), config
            return self._held


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The world as the engine meets it through `ports`; a test replaces what it wants to be otherwise.

    What was said before `not_before` is not learned.
    """

    control: ControlStore
    graphs: GraphStores
    probe: RepoProbe
    redactor: Redactor
    clock: Clock
    ids: Ids
    tree: WorkTree = field(default_factory=WorkTreeOnDisk)
    guides: Guides = field(default_factory=GuidesOnDisk)
    stop_probing: Callable[[], None] = lambda: None
    models: Models = field(default_factory=Models)
    not_before: datetime | None = None


def real_parts(paths: Paths, env: Mapping[str, str], *, clock: Clock | None = None) -> Parts:
    """Return the user's own files, git, the machine's clock."""
    clock = clock or SystemClock()
    finish_restore(paths.data_dir)  # one that was killed; before anything looks at what is there
    git = GitRepo(cache_file=paths.roots_file, env=env)
    not_before = beginning.not_before(paths, clock.now())
    return Parts(
        not_before=not_before,
        control=SqliteControl(paths.control_file, Upkeep(now=clock.now, copies=paths.backups_dir)),
        graphs=SqliteGraphs(paths.graphs_dir, clock, copies=paths.backups_dir),
        probe=git,
        redactor=FloorRedactor(),
        clock=clock,
        ids=SystemIds(),
        stop_probing=git.close,
    )


def compose(paths: Paths, settings: Settings, *, env: Mapping[str, str], parts: Parts | None = None) -> Wisen:
    """Return a wisen over the user's files, or over the parts given."""
    parts = parts or real_parts(paths, env)
    redactor = RememberingRedactor(parts.redactor)  # below the scanner, which may have had to sit a text out
    parts = replace(parts, redactor=with_scanner(redactor, settings.secret_scanner, env))
    control, graphs, clock = parts.control, parts.graphs, parts.clock
    writing = threading.RLock()
    rules = locate_rules(paths, settings, env, pauses=Pauses(paths, clock.now), not_before=parts.not_before)
    locator = Locator(probe=parts.probe, control=control, graphs=graphs, clock=clock, rules=rules)
    capture = _capture(parts, settings, locator)
    guide = GuideCheck(guides=parts.guides, locator=locator)
    promote = _promote(parts, settings, locator, capture, guide, writing)
    inspect = Inspect(control=control, graphs=graphs)
    embedders = parts.models.of(embedding_of(settings, env))
    return Wisen(
        paths=paths,
        settings=settings,
        control=control,
        graphs=graphs,
        redactor=parts.redactor,
        clock=clock,
        ids=parts.ids,
        locator=locator,
        capture=capture,
        recall=_recall(parts, settings, capture, embedders),
        promote=promote,
        sweep=Sweep(control=control, capture=capture, clock=clock, sizes=transcript_sizes()),
        curate=_curate(parts, paths, writing),
        inspect=inspect,
        why_not=WhyNot(control=control, graphs=graphs, locator=locator, promote=promote, inspect=inspect, clock=clock),
        carry=_carry(parts, settings, locator, writing),
        catch_up=CatchUp(control=control, capture=capture, readers=transcript_readers(), redactor=parts.redactor),
        guide=guide,
        learn=Learn(
            control=control,
            capture=capture,
            promote=promote,
            locator=locator,
            readers=past_readers(),
            sizes=transcript_sizes(),
            redactor=parts.redactor,
            clock=clock,
        ),
        embed=Embed(graphs=graphs, embedders=embedders, keep_tokens=settings.embedding_tokens),
        embedders=embedders,
        stop_probing=parts.stop_probing,
    )


def _capture(parts: Parts, settings: Settings, locator: Locator) -> Capture:
    return Capture(
        control=parts.control,
        graphs=parts.graphs,
        locator=locator,
        redactor=parts.redactor,
        clock=parts.clock,
        ids=parts.ids,
        learn=settings.learn,
    )


def _recall(parts: Parts, settings: Settings, capture: Capture, embedders: Embedders) -> Recall:
    return Recall(
        control=parts.control,
        graphs=parts.graphs,
        capture=capture,
        clock=parts.clock,
        ids=parts.ids,
        limits=limits_of(settings),
        histories=transcript_histories(),
        redactor=parts.redactor,
        parse=segments,
        embedders=embedders,
    )


def _promote(
    parts: Parts,
    settings: Settings,
    locator: Locator,
    capture: Capture,
    guide: GuideCheck,
    writing: threading.RLock,
) -> Promote:
    return Promote(
        control=parts.control,
        graphs=parts.graphs,
        locator=locator,
        capture=capture,
        clock=parts.clock,
        ids=parts.ids,
        observe=Observe(control=parts.control, locator=locator, tree=parts.tree, learn=settings.learn),
        guide=guide,
        learn_headless=settings.learn_headless,
        writing=writing,
    )


def _curate(parts: Parts, paths: Paths, writing: threading.RLock) -> Curate:
    return Curate(
        control=parts.control,
        graphs=parts.graphs,
        redactor=parts.redactor,
        clock=parts.clock,
        ids=parts.ids,
        writing=writing,
        leftovers=lambda texts: places_holding(texts, paths.data_dir, paths.state_dir),
    )


def _carry(parts: Parts, settings: Settings, locator: Locator, writing: threading.RLock) -> Carry:
    return Carry(
        control=parts.control,
        graphs=parts.graphs,
        locator=locator,
        redactor=parts.redactor,
        clock=parts.clock,
        learn_headless=settings.learn_headless,
        writing=writing,
    )


def backups_of(paths: Paths, *, clock: Clock | None = None) -> Backups:
    """Return the backups of the user's data; for any process, also without a daemon."""
    means = Means(copy=backup_all, read=read_manifest, verify=verify_backup, swap=restore_backup)
    own = (paths.data_dir, paths.state_dir, paths.run_dir)
    return Backups(
        data_dir=paths.data_dir, backups_dir=paths.backups_dir, means=means, clock=clock or SystemClock(), own=own
    )


def locate_rules(
    paths: Paths, settings: Settings, env: Mapping[str, str], *, pauses: Pauses, not_before: datetime | None
) -> LocateRules:
    """Return what the user says about identity; wisen's own directories are never a project."""
    return LocateRules(
        login=settings.user_id or login_of(env),
        upstreams=settings.upstreams,
        exclude=tuple(settings.exclude),
        internal_dirs=(str(paths.data_dir), str(paths.state_dir)),
        pauses=lambda: pauses.known,
        not_before=not_before,
    )


def embedding_of(settings: Settings, env: Mapping[str, str]) -> EmbeddingConfig:
    """Return the embedding model that the settings name. A key that can't be read is none."""
    key = ""
    if settings.embedding_key_file:
        with suppress(OSError, UnicodeDecodeError):
            key = Path(settings.embedding_key_file).read_text(encoding="utf-8").partition("\n")[0].strip()
    return EmbeddingConfig(
        mode=settings.embedding,
        model_dir=Path(settings.embedding_dir) if settings.embedding_dir else None,
        cache=hub_cache(env),
        url=settings.embedding_url,
        model=settings.embedding_model,
        key=key,
        idle_s=settings.embedding_idle_minutes * 60.0,
    )


def hub_cache(env: Mapping[str, str]) -> Path:
    """Return the directory where other programs of the user keep models from the hub."""
    if named := env.get("HF_HUB_CACHE") or env.get("HUGGINGFACE_HUB_CACHE"):
        return Path(named)
    home = env.get("HF_HOME")
    base = Path(env.get("XDG_CACHE_HOME") or home_dir(env) / ".cache") / "huggingface"
    return (Path(home) if home else base) / "hub"


def limits_of(settings: Settings) -> Limits:
    """Return the recall limits the settings name."""
    return Limits(
        session_start_chars=settings.session_start_chars,
        user_prompt_chars=settings.user_prompt_chars,
        sub_task_chars=settings.sub_task_chars,
        memory_chars=settings.memory_chars,
        prompt_min_chars=settings.prompt_min_chars,
        prompt_items=settings.prompt_items,
        prompt_recall=settings.prompt_recall,
        prompt_refresh_turns=settings.prompt_refresh_turns,
        session_start_min_confidence=settings.session_start_min_confidence,
        user_prompt_min_confidence=settings.user_prompt_min_confidence,
        sub_task_min_confidence=settings.sub_task_min_confidence,
        pre_tool_chars=settings.pre_tool_chars,
        pre_tool_most=settings.pre_tool_most,
        pre_tool_min_confidence=settings.pre_tool_min_confidence,
        tool_family_chars=settings.tool_family_chars,
        tool_family_min_confidence=settings.tool_family_min_confidence,
        tool_recall=tuple(settings.tool_recall.items()),
    )


def login_of(env: Mapping[str, str]) -> str:
    """Return the OS login: the password database's word, the environment's only where that is silent."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return env.get("LOGNAME") or env.get("USER") or "user"
