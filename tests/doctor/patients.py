"""A home that the doctor may look at: real files, a daemon that answers from a table or is not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from tests.builders import T0, FrozenClock, a_graph, a_memory, a_session
from wisen.config import Paths, paths
from wisen.core.findings import Finding
from wisen.core.records import Actor
from wisen.core.types import Memory
from wisen.doctor.examination import examine
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check
from wisen.errors import DaemonUnavailable, WisenError
from wisen.install.registry import HARNESSES
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

HEALTHY = {"version": "0.1.0", "pid": 4711, "ready": True, "protocol": 1}


@dataclass
class Home:
    root: Path
    now: datetime = T0
    answers: dict[str, object] = field(default_factory=dict)
    more_env: dict[str, str] = field(default_factory=dict)
    cwd: str = ""

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.root), "WISEN_HOME": str(self.root / "w"), "PATH": "", **self.more_env}

    @property
    def paths(self) -> Paths:
        return paths(self.env)

    def ask(self, path: str) -> object:
        if path not in self.answers:
            raise DaemonUnavailable(f"no daemon answers at {self.paths.socket}")
        answer = self.answers[path]
        if isinstance(answer, WisenError):
            raise answer
        return answer

    def install(self) -> None:
        chosen = HARNESSES["claude-code"]
        chosen.apply(chosen.plan(self.env, self.paths))

    def remember(self, *texts: str) -> Sequence[Memory]:
        """Put memories and a session into real files, and close them as a daemon that stops does."""
        self.paths.spool_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for directory in (self.paths.config_file.parent, self.paths.state_dir):
            directory.chmod(0o700)
        control, graphs = SqliteControl(self.paths.control_file), SqliteGraphs(self.paths.graphs_dir, FrozenClock())
        control.save_session(a_session(last_event_at=T0))
        memories = [a_memory(text) for text in texts]
        for memory in memories:
            graphs.open(a_graph()).add(memory, key=memory.memory_id, actor=Actor.USER, reason="")
        control.close()
        graphs.close()
        return memories

    def examined(self) -> dict[str, Check]:
        patient = Patient.of(self.env, self.paths, self.now, self.ask, cwd=self.cwd)
        return {check.name: check for check in examine(patient)}

    def findings(self, name: str) -> tuple[Finding, ...]:
        return self.examined()[name].findings

    def later(self, now: datetime) -> Home:
        return replace(self, now=now)
