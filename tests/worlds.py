"""A composed wisen over fakes: frozen clock, counting ids, in-memory stores, and directories that are what we say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tests.builders import CountingIds, FrozenClock, a_prompt, an_event
from wisen.compose import Parts, Wisen, compose
from wisen.config import Settings, paths
from wisen.core.recalls import RecallBlock
from wisen.core.records import RepoFacts
from wisen.core.types import Event, PreCompact, PromptChannel, SessionEnd, SessionStart, StartSource
from wisen.engine.promote import Promotion
from wisen.redact import FloorRedactor
from wisen.store.memory import InMemoryGraphs
from wisen.store.memory_control import InMemoryControl

ROOT = "a" * 40


def a_repo(cwd: str = "/repo", **over: object) -> RepoFacts:
    facts = RepoFacts(
        cwd=cwd,
        top=cwd,
        common_dir=f"{cwd}/.git",
        remotes={"origin": "git@github.com:acme/widgets.git"},
        root_commits=(ROOT,),
        has_commit=True,
        branch="main",
        head="b" * 40,
    )
    return replace(facts, **over)  # type: ignore[arg-type]  # keyword overrides of a builder


@dataclass
class FakeProbe:
    """Git's word on each directory; no repository where nothing was said."""

    known: dict[str, RepoFacts] = field(default_factory=lambda: {"/repo": a_repo()})
    history: dict[str, frozenset[str] | None] = field(default_factory=dict)  # commits below HEAD; None: not read yet

    def facts(self, cwd: str) -> RepoFacts:
        return self.known.get(cwd, RepoFacts(cwd=cwd, problem="no-repo"))

    def contains(self, cwd: str, commit: str) -> bool | None:
        below = self.history.get(cwd, frozenset())
        return None if below is None else commit in below or commit == self.facts(cwd).head


@dataclass(frozen=True)
class FakeTree:
    """A work tree with these files in it; None: it is gone."""

    files: frozenset[str] | None = None

    def holds(self, top: str, path: str) -> bool | None:
        return None if self.files is None or not top else path in self.files


class World:
    """Drives a wisen as a harness would, event by event."""

    def __init__(
        self, settings: Settings | None = None, *, home: str = "/nowhere", tree: Iterable[str] | None = None
    ) -> None:
        self.clock = FrozenClock()
        self.probe = FakeProbe()
        self.control = InMemoryControl()
        self.graphs = InMemoryGraphs(self.clock)
        self.wisen: Wisen = compose(
            paths({"HOME": home, "WISEN_HOME": f"{home}/wisen"}),
            settings or Settings(user_id="dev"),
            env={"USER": "dev"},
            parts=Parts(
                control=self.control,
                graphs=self.graphs,
                probe=self.probe,
                redactor=FloorRedactor(),
                clock=self.clock,
                ids=CountingIds(),
                tree=FakeTree(None if tree is None else frozenset(tree)),
            ),
        )

    def feed(self, event: Event) -> RecallBlock | None:
        """Capture an event and hand over what it recalls, as the hook route does."""
        captured = self.wisen.capture.capture(event)
        prepared = self.wisen.recall.prepare(captured) if captured else None
        if prepared is None:
            return None
        self.wisen.recall.commit(prepared)
        return prepared.block

    def start(self, session: str = "s1", *, source: StartSource = StartSource.STARTUP, cwd: str = "/repo") -> str:
        block = self.feed(an_event(SessionStart(source=source), session_id=session, cwd=cwd, at=self.clock.at))
        return block.text if block else ""

    def say(
        self, text: str, session: str = "s1", *, cwd: str = "/repo", channel: PromptChannel = PromptChannel.TYPED
    ) -> str:
        self.clock.advance(milliseconds=1)  # the same words at the same moment would be a copy, of a fork
        block = self.feed(a_prompt(text, channel=channel, session_id=session, cwd=cwd, at=self.clock.at))
        return block.text if block else ""

    def end(self, session: str = "s1", *, cwd: str = "/repo") -> Promotion:
        self.feed(an_event(SessionEnd(reason="other"), session_id=session, cwd=cwd, at=self.clock.at))
        return self.run_jobs()

    def compact(self, session: str = "s1") -> str:
        self.feed(an_event(PreCompact(automatic=False), session_id=session, at=self.clock.at))
        self.run_jobs()
        return self.start(session, source=StartSource.COMPACT)

    def run_jobs(self) -> Promotion:
        last = Promotion()
        while (job := self.control.claim_job(self.clock.now())) is not None:
            last = self.wisen.promote.promote(job.payload["harness"], job.payload["session_id"], batch=job.job_id)
            self.control.finish_job(job.job_id)
        return last
