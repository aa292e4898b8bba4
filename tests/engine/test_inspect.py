"""What a person is told of what there is, and what one damaged row leaves working: the whole engine over real files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.builders import CountingIds, FrozenClock, a_graph, a_memory, a_user_graph
from tests.worlds import FakeProbe, World

from wisen.compose import Parts, compose
from wisen.config import Settings, paths
from wisen.core.records import Actor
from wisen.core.types import GraphId, Memory
from wisen.engine.inspect import Inspect
from wisen.engine.promote import Promotion
from wisen.errors import Conflict, NotFound, StoreDamaged
from wisen.redact import FloorRedactor
from wisen.store.memory import InMemoryGraphs
from wisen.store.memory_control import InMemoryControl
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

GRAPH, USER = a_graph(), a_user_graph()
RULE = "We use pnpm here, not npm."


class FileWorld(World):
    """A world whose stores are files."""

    def __init__(self, home: Path) -> None:
        self.clock, self.probe = FrozenClock(), FakeProbe()
        self.files, self.graph_files = SqliteControl(home / "control.db"), SqliteGraphs(home / "graphs", self.clock)
        self.wisen = compose(
            paths({"HOME": str(home), "WISEN_HOME": str(home)}),
            Settings(user_id="dev"),
            env={"USER": "dev"},
            parts=Parts(
                control=self.files,
                graphs=self.graph_files,
                probe=self.probe,
                redactor=FloorRedactor(),
                clock=self.clock,
                ids=CountingIds(),
            ),
        )

    def run_jobs(self) -> Promotion:
        last = Promotion()
        while (job := self.files.claim_job(self.clock.now())) is not None:
            last = self.wisen.promote.promote(job.payload["harness"], job.payload["session_id"])
            self.files.finish_job(job.job_id)
        return last

    def damage(self, table: str) -> None:
        with self.files._file.write() as database:
            assert database.run(f"UPDATE {table} SET checksum = checksum + 1")

    def damage_memory(self, memory: Memory) -> None:
        with self.graph_files.open(memory.graph)._pool.write() as database:
            changed = database.run(
                "UPDATE memories SET checksum = checksum + 1 WHERE memory_id = :id", {"id": memory.memory_id}
            )
        assert changed == 1


@pytest.fixture
def world(tmp_path: Path) -> Iterator[FileWorld]:
    world = FileWorld(tmp_path)
    yield world
    world.wisen.close()


def learn(world: FileWorld, text: str, session: str) -> Memory:
    world.start(session)
    world.say(text, session)
    (memory,) = world.end(session).added
    return memory


@pytest.mark.parametrize("table", ["sessions", "events", "signals", "jobs", "receipts", "root_claims"])
def test_with_any_row_of_the_control_file_damaged_a_session_starts_learns_and_is_explained(
    world: FileWorld, table: str
) -> None:
    learn(world, RULE, "s1")
    world.start("s2")
    world.say("Always run the linter before a commit.", "s2")
    world.damage(table)

    assert (RULE in world.start("s3")) is (table != "root_claims")
    learn(world, "Never push on a friday.", "s4")
    world.end("s2")
    assert world.wisen.inspect.session_at("claude-code", session_id="s4")
    world.wisen.inspect.receipts(harness="claude-code")
    world.wisen.inspect.session_at("claude-code")
    world.files.jobs()
    world.files.events("claude-code", "s1")
    problems = world.wisen.inspect.overview().problems
    assert problems
    assert all("control.db" in problem and f"of {table})" in problem for problem in problems)


def test_a_damaged_memory_is_left_out_told_and_erased_and_the_others_go_on(world: FileWorld) -> None:
    bad, good = learn(world, RULE, "s1"), learn(world, "Never push on a friday.", "s2")
    world.damage_memory(bad)
    inspect = world.wisen.inspect

    block = world.start("s3")
    assert good.text in block
    assert bad.text not in block
    assert "damaged rows, left out: 1" in inspect.receipts(harness="claude-code")[0].degraded
    assert [memory.memory_id for memory in inspect.memories([bad.graph])] == [good.memory_id]
    assert inspect.receipts(harness="claude-code")[0].more == 0
    learn(world, "Always run the linter before a commit.", "s4")
    assert inspect.lookup(bad.graph, bad.memory_id) is None
    [problem] = inspect.overview().problems
    assert f"`wisen forget {bad.memory_id} --purge --graph {bad.graph}`" in problem

    with pytest.raises(StoreDamaged):
        inspect.resolve(bad.short_id, [bad.graph])
    assert inspect.graph_of(bad.short_id, [USER, bad.graph]) == (bad.graph, bad.memory_id)
    world.wisen.curate.purge(bad.graph, bad.memory_id)
    assert inspect.overview().problems == ()
    events = world.files.events("claude-code", "s1")
    assert "pnpm" not in repr(events), "its journal told what was said"


def test_a_file_that_cannot_be_read_is_a_problem_and_the_others_are_counted(world: FileWorld) -> None:
    memory = learn(world, RULE, "s1")
    world.graph_files.open(USER)
    world.graph_files.close()
    world.graph_files._path(USER).write_bytes(b"garbage" * 1000)
    overview = world.wisen.inspect.overview()
    assert [stats.graph for stats in overview.graphs] == [memory.graph]
    assert len(overview.problems) == 1


# --- references -------------------------------------------------------------------------------------------------


@pytest.fixture
def graphs() -> InMemoryGraphs:
    return InMemoryGraphs(FrozenClock())


@pytest.fixture
def inspect(graphs: InMemoryGraphs) -> Inspect:
    return Inspect(control=InMemoryControl(), graphs=graphs)


def put(graphs: InMemoryGraphs, memory_id: str, graph: GraphId = GRAPH) -> Memory:
    memory = a_memory(memory_id=memory_id, graph=graph)
    return graphs.open(graph).add(memory, key=memory_id, actor=Actor.USER, reason="")[0]


Find = Callable[[Inspect, str], str]


@pytest.mark.parametrize(
    "find",
    [
        lambda inspect, ref: inspect.resolve(ref, [GRAPH, USER]).memory_id,
        lambda inspect, ref: inspect.graph_of(ref, [GRAPH, USER])[1],
    ],
    ids=["resolve", "graph_of"],
)
def test_a_reference_means_one_memory_or_is_refused(graphs: InMemoryGraphs, inspect: Inspect, find: Find) -> None:
    one = put(graphs, "0193a000-0000-7000-9000-00001111aaaa").memory_id
    two = put(graphs, "0193a000-0000-7000-9000-00002222bbbb", USER).memory_id
    for ref in ("1111", "1111AAAA", one, one.replace("-", "")):
        assert find(inspect, ref) == one
    assert find(inspect, "2222bbbb") == two
    with pytest.raises(Conflict, match=r"1111aaaa, 2222bbbb"):
        find(inspect, "0193a")
    for ref in ("3333", "", "%"):
        with pytest.raises(NotFound):
            find(inspect, ref)


def test_what_was_purged_is_found_by_what_is_left_of_it(graphs: InMemoryGraphs, inspect: Inspect) -> None:
    memory = put(graphs, "0193a000-0000-7000-9000-00001111aaaa")
    graphs.open(GRAPH).purge(memory.memory_id)
    with pytest.raises(NotFound):
        inspect.resolve(memory.short_id, [GRAPH])
    assert inspect.graph_of(memory.short_id, [USER, GRAPH]) == (GRAPH, memory.memory_id)
    other = put(graphs, "0193a000-0000-7000-9000-00001111bbbb")
    assert inspect.graph_of("1111", [GRAPH]) == (GRAPH, other.memory_id), "what is there comes first"
