from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from tests.builders import T0, a_session, an_event

from wisen.adapters import registry
from wisen.core.gate import signals_of
from wisen.core.graphids import repo_graph
from wisen.core.policy import Limits, plan_recall
from wisen.core.records import ReadMark
from wisen.core.remotes import parse_remote
from wisen.core.types import Event, PromptChannel, UserPrompt
from wisen.errors import NotFound


class Nano:
    """A harness made up for this test: one event, one answer, in shapes of its own."""

    @property
    def name(self) -> str:
        return "nano"

    def events(
        self, payload: bytes, *, entrypoint: str, delivery_id: str, received_at: datetime, redact: Callable[[str], str]
    ) -> tuple[Event, ...]:
        return (
            an_event(
                UserPrompt(text=payload.decode().removeprefix("SAY "), channel=PromptChannel.TYPED),
                harness=self.name,
                delivery_id=delivery_id,
                at=received_at,
            ),
        )

    def is_interactive(self, entrypoint: str) -> bool:
        return entrypoint == "person"

    def ends_context(self, hook: str) -> bool:
        return hook == "BYE"

    def reply(self, event_name: str, text: str, *, notice: str = "") -> bytes:
        return f"{event_name}: {text}".encode() if text else b""


@pytest.mark.row("F10")
def test_a_new_harness_is_an_adapter_and_the_core_takes_its_events_as_they_are() -> None:
    nano: registry.Adapter = Nano()
    (event,) = nano.events(
        b"SAY We use pnpm here, not npm.", entrypoint="", delivery_id="d", received_at=T0, redact=str
    )
    remote = parse_remote("git@github.com:acme/widgets.git")
    assert remote is not None
    assert [signal.rule for signal in signals_of(event)] == ["We use pnpm here, not npm."]
    assert plan_recall(event, a_session(harness="nano"), Limits()) is not None
    assert str(repo_graph(nano.name, remote)) == "repo://nano/github.com/acme/widgets"


@pytest.mark.row("F10")
def test_the_registry_has_an_adapter_for_every_harness_and_readers_for_those_whose_events_name_a_file() -> None:
    names = {"claude-code"}
    assert registry.transcript_readers().keys() == registry.transcript_histories().keys() == names
    assert registry.transcript_sizes().keys() == names
    every = {*names, "opencode"}
    assert {registry.adapter(name).name for name in every} == every


@pytest.mark.row("F10")
def test_what_a_pointer_says_is_read_by_the_harness_itself() -> None:
    claude = registry.adapter("claude-code")
    assert [claude.is_interactive(entrypoint) for entrypoint in ("cli", "sdk-cli", "")] == [True, False, False]
    assert [hook for hook in ("SessionEnd", "PreCompact", "PostToolUse") if claude.ends_context(hook)] == [
        "SessionEnd",
        "PreCompact",
    ]


@pytest.mark.row("F10")
def test_the_core_knows_no_field_name_of_a_harness() -> None:
    core = Path(registry.__file__).parents[1] / "core"
    modules = list(core.rglob("*.py"))
    assert modules
    for module in modules:
        text = module.read_text()
        for word in ("PostToolUseFailure", "hookSpecificOutput", "tool_use_id", "hook_event_name", "promptSource"):
            assert word not in text, f"{module.name} knows {word}"


def test_an_unknown_harness_is_told_with_the_known_ones() -> None:
    with pytest.raises(NotFound) as caught:
        registry.adapter("nano")
    assert "claude-code" in caught.value.hint


def test_a_missing_session_file_is_an_error_to_the_reader_and_an_empty_history(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.jsonl")
    with pytest.raises(FileNotFoundError):
        list(
            registry.transcript_readers()["claude-code"](
                missing, ReadMark(), assume_interactive=False, known=(), redact=str
            )
        )
    assert registry.transcript_sizes()["claude-code"](missing) is None
    assert registry.transcript_histories()["claude-code"](missing) == frozenset()
