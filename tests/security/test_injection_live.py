"""The same ways in through a real daemon: its socket, its hooks, its command line, files of old sessions."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from tests.e2e.home import POLL_S
from tests.pastfiles import write
from tests.security.injection import ATTACKS, COMMANDS, Teller, file_named, held, name_in
from tests.security.live import Live, living
from tests.security.ways import WAYS

from wisen.client import Client
from wisen.config import paths

_PATIENCE_S: Final = 60
_WORDS: Final = ("text", "title", "why", "how_to_apply")


class LiveTeller(Teller):
    """Tells an installed wisen. Session files are written, and read all at once."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.answers: list[bytes] = []
        self.files = 0

    def deliver(self, event: str, fields: Mapping[str, object]) -> None:
        if event == "SessionStart":  # also starts the daemon
            self.answers.append(self.live.hook(event, **fields))
        else:
            self.live.entrypoint = self.entrypoint
            self.answers.append(self.live.deliver(event, **fields))

    def learn(self, *lines: Mapping[str, object]) -> None:
        self.files += 1
        name = f"{self.session}-file{self.files}"
        here = {"sessionId": name, "cwd": str(self.live.repo)}
        write(self._past, name, *({**line, **here} for line in lines))

    def take_in(self, line: str) -> None:
        file = self.live.home.path / "memories.jsonl"
        file.write_text(f"{line}\n")
        self.live.wisen("import-data", str(file), code=6)  # left out

    def end(self) -> None:
        """The daemon sees to it."""

    def settle(self) -> None:
        """Read the session files, and wait until the daemon has nothing left to do."""
        self.live.wisen("learn", "claude-code")
        client, until = Client(paths(self.live.home.env)), time.monotonic() + _PATIENCE_S
        while {"queued", "running"} & {state for state, n in client.call("GET", "/v1/status")["jobs"].items() if n}:
            assert time.monotonic() < until, "promotions are still waiting"
            time.sleep(POLL_S)

    def ask(self, *texts: str) -> str:
        """Return what the hooks of a new session print at its start, for prompts with the texts, before commands."""
        said = [self.live.hook("SessionStart", source="startup", session_id="asking")]
        said += [self.live.hook("UserPromptSubmit", prompt=f"what of {text}", session_id="asking") for text in texts]
        for command in COMMANDS:
            call = {"tool_name": "Bash", "tool_input": {"command": command}}
            said.append(self.live.hook("PreToolUse", **call, session_id="asking"))
        return b"\n".join(said).decode()

    def memories(self) -> list[dict[str, Any]]:
        """Return all that is remembered in the repository, whatever its status."""
        client = Client(paths(self.live.home.env))
        found: list[dict[str, Any]] = client.call("GET", f"/v1/memories?cwd={self.live.repo}&status=all")["memories"]
        return found

    @property
    def _past(self) -> Any:
        return self.live.home.path / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(self.live.repo))


@pytest.fixture
def teller() -> Iterator[LiveTeller]:
    with living() as live:
        yield LiveTeller(live)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.fault("B70")
def test_no_text_gets_through_an_installed_wisen_but_when_the_user_types_it(teller: LiveTeller) -> None:
    (teller.live.repo / "src").mkdir()
    for number, channel in enumerate(WAYS):
        text = ATTACKS[number % len(ATTACKS)]
        (teller.live.repo / file_named(text)).write_text(f"class {name_in(text)}: ...\n")
        teller.play(channel, [text], f"s{number}")
    teller.settle()
    learned = teller.memories()
    assert [one for one in learned if one["origin"] == "headless_prompt" and one["status"] != "pending_review"] == []
    assert {one["origin"] for one in learned} == {"headless_prompt", "observed_outcome"}
    observed = [one for one in learned if one["origin"] == "observed_outcome"]
    assert [one for one in observed if held("\n".join(str(one[name]) for name in _WORDS), ATTACKS)] == []
    recalled = teller.ask(*ATTACKS[:3])
    assert "pytest" in recalled  # a recipe, in the words of its commands
    assert held("\n".join([recalled, *(answer.decode() for answer in teller.answers)]), ATTACKS) == []
    teller.live.hook("SessionStart", source="startup", session_id="typed")
    teller.live.hook("UserPromptSubmit", prompt=ATTACKS[0], session_id="typed")
    teller.live.hook("SessionEnd", reason="other", session_id="typed")
    teller.settle()
    assert held(teller.ask(), ATTACKS) == [ATTACKS[0]]
