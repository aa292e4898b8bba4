"""Two homes to carry memories between: stores of either kind, the user's hand on them, and export and import."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.builders import CountingIds, FrozenClock
from tests.worlds import FakeProbe
from wisen.core.portable import Tally, end_line, header_line
from wisen.core.types import GraphId
from wisen.engine.carry import Carry, How, Report
from wisen.engine.curate import Curate
from wisen.engine.locate import LocateRules, Locator
from wisen.ports import GraphStores, Redactor
from wisen.redact import FloorRedactor
from wisen.store.memory import InMemoryGraphs
from wisen.store.memory_control import InMemoryControl
from wisen.store.sqlite.graphs import SqliteGraphs


class Home:
    """One user's memories."""

    def __init__(self, graphs: Callable[[FrozenClock], GraphStores], *, exclude: tuple[str, ...] = ()) -> None:
        self.clock = FrozenClock()
        self.control = InMemoryControl()
        self.graphs = graphs(self.clock)
        self.probe = FakeProbe()
        redactor: Redactor = FloorRedactor()
        writing = threading.RLock()
        locator = Locator(
            probe=self.probe,
            control=self.control,
            graphs=self.graphs,
            clock=self.clock,
            rules=LocateRules(login="dev", exclude=exclude),
        )
        self.curate = Curate(
            control=self.control,
            graphs=self.graphs,
            redactor=redactor,
            clock=self.clock,
            ids=CountingIds(),
            writing=writing,
        )
        self.carry = Carry(
            control=self.control,
            graphs=self.graphs,
            locator=locator,
            redactor=redactor,
            clock=self.clock,
            learn_headless=False,
            writing=writing,
        )

    def exported(self, *graphs: GraphId, page: int = 500) -> str:
        """Return the whole file that an export of some graphs, or of all, gives."""
        contents = self.carry.contents(graphs or None)
        lines = [*self.carry.identity(tuple(contents.graphs)).lines]
        for graph in contents.graphs:
            after = "start"
            while after:
                found = self.carry.page(graph, after="" if after == "start" else after, limit=page)
                lines += found.lines
                after = found.after
        return file_of(lines, graphs=[str(graph) for graph in contents.graphs])

    def take_in(self, file: str, **how: Any) -> Report:
        """Import a whole file at once."""
        return self.carry.take_in(records_of(file), How(**how))


def file_of(lines: Iterable[str], *, graphs: Iterable[str] = ()) -> str:
    """Return records as an export file."""
    tally = Tally()
    whole = [header_line(list(graphs)), *lines]
    for n, line in enumerate(whole):
        tally.add(f"{line}\n".encode(), is_record=n > 0)
    return "".join(f"{line}\n" for line in (*whole, end_line(tally.end)))


def records_of(file: str) -> list[tuple[int, str]]:
    """Return the numbered lines of a file between its header and its end."""
    return list(enumerate(file.split("\n")[:-1], 1))[1:-1]


def changed(file: str, change: Callable[[dict[str, Any]], object]) -> str:
    """Return a file whose memory records were changed by hand."""
    lines = []
    for _, line in records_of(file):
        said = json.loads(line)
        if said["record"] == "memory":
            change(said)
        lines.append(json.dumps(said))
    return file_of(lines, graphs=json.loads(file.split("\n", maxsplit=1)[0])["graphs"])


@contextmanager
def a_home(kind: str, **over: Any) -> Iterator[Home]:
    """Lend a home over stores of a kind: `memory` or `sqlite`."""
    with TemporaryDirectory() as directory:
        makers: Mapping[str, Callable[[FrozenClock], GraphStores]] = {
            "memory": InMemoryGraphs,
            "sqlite": lambda clock: SqliteGraphs(Path(directory) / "graphs", clock),
        }
        home = Home(makers[kind], **over)
        try:
            yield home
        finally:
            home.graphs.close()
