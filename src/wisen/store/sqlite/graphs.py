"""Which graphs are there, and where is each one's file? One file a graph, a bounded number of them open."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from threading import RLock

from wisen import steps
from wisen.core.findings import Finding
from wisen.core.types import GraphId
from wisen.errors import Conflict, StoreDamaged, StoreError
from wisen.ownfiles import sync_dir
from wisen.ports import Clock
from wisen.store.codec import decode, encode
from wisen.store.queries import load
from wisen.store.sqlite.aside import finish_replacing, problem, set_aside, settle_logs
from wisen.store.sqlite.checks import check_set_aside, check_unusable
from wisen.store.sqlite.connection import Database, FileDamaged
from wisen.store.sqlite.files import GRAPH, os_errors, remove_database, sidecars, verify_log
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.keeping import KeptFile, Upkeep
from wisen.store.sqlite.lost import Ledger, check_missing, missing_in_words
from wisen.store.sqlite.place import inode_of, is_taken
from wisen.store.sqlite.pool import Pool

_SQL = load(Path(__file__).with_name("queries") / "graph.sql")
_ID, _MOVING = "graph", "moving_to"
_NEVER = -1


class SqliteGraphs:
    """The graph files of a directory. Implements `ports.GraphStores`; may be used from many threads."""

    def __init__(self, directory: Path, clock: Clock, *, max_open: int = 8, copies: Path | None = None) -> None:
        """Take the directory, which need not exist, and how many graphs may hold open files at once.

        `copies` is where a copy of a file goes before a migration changes it.
        """
        self._directory = directory
        self._clock = clock
        self._upkeep = Upkeep(now=clock.now, copies=copies)
        self._max_open = max_open
        self._lock = RLock()
        self._stores: dict[GraphId, SqliteGraph] = {}
        self._recent: OrderedDict[GraphId, SqliteGraph] = OrderedDict()  # may hold files; longest unasked for first
        self._ids: dict[Path, GraphId] = {}
        self._ledger = Ledger(directory)
        self._told: Callable[[GraphId], None] = lambda _: None
        self._settled: int | None = _NEVER  # the directory's stamp when what others left was last settled

    def open(self, graph: GraphId) -> SqliteGraph:
        """Return the graph's store, made when it is not there yet. Raises StoreDamaged, StoreTooNew or StoreError."""
        with self._lock:
            store = self.existing(graph)
            if store is None:
                self._settle(self._path(graph))  # a log that was left under its name would be poison to a new file
                self._file(graph).make()
                self._ledger.note({self._path(graph): graph})
                store = self._store(graph)
            return store

    def existing(self, graph: GraphId) -> SqliteGraph | None:
        """Return the graph's store only if the graph exists; reading never creates one."""
        with self._lock:
            store = self._stores.get(graph)
            if store is not None and not is_taken(self._path(graph)):  # the file was deleted
                self._forget(graph)
                store.close()
            return self._store(graph) if graph in self._stores or self._is_there(graph) else None

    def on_change(self, tell: Callable[[GraphId], None]) -> None:
        """Call this with a graph after each write to it."""
        self._told = tell

    def graphs(self) -> Sequence[GraphId]:
        """Return the graphs that exist, sorted by their URL form. Files that can't be read are in `problems`."""
        with self._lock:
            self._scan()
            return tuple(sorted(self._ids.values(), key=str))

    def problems(self) -> Sequence[str]:
        """Return what is wrong with files in the directory, and with rows of those that can be read."""
        with self._lock:
            problems = [error.message for error in self._scan().values()]
            problems += [missing_in_words(*missing) for missing in self._ledger.missing()]
            problems += [problem(*aside) for aside in set_aside(self._directory, "*.db")]
        for graph in self.graphs():
            try:
                store = self.existing(graph)
                problems += store.problems() if store else ()
            except StoreError as error:
                problems.append(error.message)
        return tuple(problems)

    def set_aside(self, graph: GraphId) -> Sequence[str]:
        """Return a sentence for each file of a graph that was damaged and is kept."""
        return [problem(*aside) for aside in set_aside(self._directory, self._path(graph).name)]

    def check(self) -> Sequence[Finding]:
        """Go through everything and return what is wrong; an index that is wrong is made anew."""
        with self._lock:
            found = list(check_unusable(self._unusable().items()))
            found += check_missing(self._ledger.missing())
        for graph in self.graphs():
            try:
                store = self.existing(graph)
                found += store.check() if store else ()
            except StoreError as error:
                found += check_unusable([(self._path(graph), error)])
        return [*found, *check_set_aside(self._directory, "*.db")]

    def _unusable(self) -> Mapping[Path, StoreError]:
        """Return what is wrong with files that can't be used; what can be mended is, by opening it."""
        for path in self._scan():
            graph = self._ledger.graph_of(path)
            if graph is not None and self._path(graph) == path:
                with suppress(StoreError):  # it is still there at the second look
                    self.existing(graph)
        return {path: self._at_home(path, error) for path, error in self._scan().items()}

    def _at_home(self, path: Path, error: StoreError) -> StoreError:
        """Return what is wrong with a file and what helps: one that has another's name comes back to its own."""
        if not isinstance(error, StoreDamaged):
            return StoreError(error.message, hint=steps.move_aside(path)) if path.is_dir() else error
        home = self._home(path)
        if home is None or is_taken(home):
            return StoreDamaged(error.message, hint=steps.move_aside(path))
        step = f"`wisen daemon stop`, then `mv {steps.paths([path, home])}`: that is where it belongs"
        return StoreDamaged(error.message, hint=step)

    def move(self, old: GraphId, new: GraphId) -> None:
        """Give a graph another id. No effect when `old` does not exist.

        The file first says where it is going, then gives up its log, is renamed as the one file that it now is, and
        last says that it arrived: a crash between leaves it whole under the one name or the other, and `open` of that
        name works. Raises Conflict when `new` exists, and StoreError when somebody reads `old` or has it open: nothing
        has changed then, and it may be tried again.
        """
        with self._lock:
            if old == new or not self._is_there(old):
                return
            if self._is_there(new):
                raise Conflict(f"can't move {old} to {new}: that graph exists already")
            with self._closed(old):
                database, _ = self._file(old).open()
                with database:
                    with database.transaction():
                        _set_fact(database, _MOVING, encode(new))
                    database.give_up_log()
                with os_errors(self._path(old)):
                    sync_dir(self._directory)  # the log is gone for good before the file has another name
                    self._ledger.drop(self._path(old))
                    self._path(old).rename(self._path(new))
                    sync_dir(self._directory)
            self._forget(old)
            self._store(new)
            self._ledger.note({self._path(new): new})

    def remove(self, graph: GraphId) -> bool:
        """Delete a graph's file, open or not, readable or not; False when there is nothing of it.

        Raises StoreError, also when somebody reads it for long; it may be repeated then.
        """
        with self._lock:
            path = self._path(graph)
            with os_errors(path):
                was_made = self._ledger.drop(path)  # first: a crash leaves a file that is noted again, and none missed
            if not any(part.exists() for part in sidecars(path)):
                return was_made
            with self._closed(graph), os_errors(path):
                remove_database(path)
            self._forget(graph)
            return True

    def close(self) -> None:
        """Close every open graph, each even if another fails; the first failure is raised at the end."""
        with self._lock:
            failures = []
            for store in self._stores.values():
                try:
                    store.close()
                except StoreError as error:
                    failures.append(error)
            self._stores.clear()
        if failures:
            raise failures[0]

    def _path(self, graph: GraphId) -> Path:
        return self._directory / f"{sha256(str(graph).encode()).hexdigest()[:24]}.db"

    def _is_there(self, graph: GraphId) -> bool:
        path = self._path(graph)
        # Every event asks for graphs that most users never have: then one look tells that nothing has come since.
        if is_taken(path) or _stamp(self._directory) != self._settled:
            self._settle(path)
        return is_taken(path)

    def _settle(self, path: Path) -> None:
        """Finish what a process that was killed had begun, before a file is opened or made."""
        stamp = _stamp(self._directory)
        if stamp is not None and not self._directory.is_dir():
            said = f"{self._directory}: this is no directory, and wisen keeps one there"
            raise StoreError(said, hint=steps.move_aside(self._directory))
        if not path.exists():
            finish_replacing(self._directory)
        self._settle_logs()
        self._settled = stamp

    def _settle_logs(self) -> None:
        for moved in settle_logs(self._directory, self._home, self._clock.now()):
            with os_errors(moved):
                self._ledger.drop(moved)

    def _home(self, path: Path) -> Path | None:
        """Return where a file belongs that has another's name; None for one in its place, or that does not say."""
        with suppress(StoreError), Database(path, untouched=True) as database:  # its log, if it has one, is not read
            facts = _facts(database)
            if _ID in facts and path not in map(self._path, facts.values()):
                return self._path(facts[_ID])
        return None

    @contextmanager
    def _closed(self, graph: GraphId) -> Iterator[None]:
        """Keep a graph's file closed in this process while the block runs."""
        store = self._stores.get(graph)
        with store.closed() if store else nullcontext():
            yield

    def _forget(self, graph: GraphId) -> None:
        self._stores.pop(graph, None)
        self._recent.pop(graph, None)
        self._ids.pop(self._path(graph), None)

    def _file(self, graph: GraphId) -> KeptFile:
        def begin(database: Database) -> None:
            _set_fact(database, _ID, encode(graph))

        def verify(database: Database) -> None:
            _verify_id(database, graph)

        return KeptFile(self._path(graph), GRAPH, self._upkeep, graph, begin, verify)

    def _store(self, graph: GraphId) -> SqliteGraph:
        """Return the one store object of a graph; beyond `max_open`, the one longest unasked for closes its file."""
        store = self._stores.get(graph)
        if store is None:
            pool = Pool(self._file(graph), tell=lambda: self._told(graph))
            pool.open()
            store = self._stores[graph] = SqliteGraph(graph, pool, self._clock)
        self._recent[graph] = store
        self._recent.move_to_end(graph)
        if len(self._recent) > self._max_open:
            self._recent.popitem(last=False)[1].close()
        return store

    def _scan(self) -> Mapping[Path, StoreError]:
        """Learn the id of every file not seen before; return what is wrong with those that do not tell."""
        finish_replacing(self._directory)
        self._settle_logs()
        paths = set(self._directory.glob("*.db"))
        self._ids = {path: graph for path, graph in self._ids.items() if path in paths}
        problems: dict[Path, StoreError] = {}
        for path in sorted(paths - self._ids.keys()):
            try:
                self._ids[path] = self._identify(path)
            except StoreError as error:
                problems[path] = error
        self._ledger.note(self._ids)
        return problems

    def _identify(self, path: Path) -> GraphId:
        inode_of(path)
        with self._looking_at(path) as database:
            facts = _facts(database)
        graph = next((graph for graph in facts.values() if self._path(graph) == path), None)
        if graph is None:
            raise _misplaced(path, facts.get(_ID))
        return graph

    @contextmanager
    def _looking_at(self, path: Path) -> Iterator[Database]:
        try:
            verify_log(path)
        except FileDamaged:  # to be mended when it is used; until then nothing may touch the log
            with Database(path, untouched=True) as database:
                yield database
        else:
            with Database(path, read_only=True) as database:
                yield database


def _stamp(directory: Path) -> int | None:
    """Return when a directory's entries last changed, in nanoseconds; None without one."""
    try:
        return directory.stat().st_mtime_ns
    except OSError:
        return None


def _verify_id(database: Database, graph: GraphId) -> None:
    try:
        facts = _facts(database)
    except FileDamaged:
        raise
    except StoreDamaged as error:
        raise FileDamaged(error.message, hint=error.hint) from error
    if _ID not in facts:
        raise FileDamaged(f"{database.path}: the file does not say which graph it holds")
    if graph not in facts.values():
        raise _misplaced(database.path, facts.get(_ID))
    if _MOVING in facts:  # it arrived, or never left
        with database.transaction():
            _set_fact(database, _ID, encode(graph))
            database.run(_SQL["drop_fact"], {"name": _MOVING})


def _facts(database: Database) -> Mapping[str, GraphId]:
    rows = database.all(_SQL["facts"])
    return {str(name): decode(str(value), GraphId, f"{database.path}: {name}") for name, value in rows}


def _set_fact(database: Database, name: str, value: str) -> None:
    database.run(_SQL["set_fact"], {"name": name, "value": value})


def _misplaced(path: Path, graph: GraphId | None) -> StoreDamaged:
    return StoreDamaged(
        f"{path}: the file holds graph {graph or 'unknown'}, which does not belong under this name", hint=_DOCTOR
    )


_DOCTOR = "`wisen doctor` says where it belongs"
