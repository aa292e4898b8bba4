"""No text that the user did not say becomes a rule or stands in what is recalled, however it arrives."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from tests.corpus.data import shared
from tests.security.injection import ATTACKS, Channel, Stage, got_through, held, said_by
from tests.security.ways import MACHINERY, PASTED, WAYS

from wisen.adapters import claude_code
from wisen.core import gate, trust
from wisen.core.signals import asking, recipe_text, repeated_lookup, sentences
from wisen.core.signals.lines import Line
from wisen.core.types import Event, Origin, PromptChannel, Status, UserPrompt
from wisen.engine.observe import _Reading
from wisen.transcripts import claude_prompts

_EACH: Final = 2  # texts that every channel carries in the short form; together the channels carry all of them
_AT_ONCE: Final = 40  # of the handed texts in one session
_ASKED: Final = 2  # of them, what is recalled for


@pytest.fixture
def stage(tmp_path: Path) -> Callable[[Sequence[str]], Stage]:
    return partial(Stage, tmp_path)


def some_for(channel: Channel) -> list[str]:
    """Return the texts that a channel carries in the short form."""
    first = WAYS.index(channel) * _EACH
    return [ATTACKS[(first + number) % len(ATTACKS)] for number in range(_EACH)]


def test_every_text_is_carried_by_the_short_form() -> None:
    assert {text for channel in WAYS for text in some_for(channel)} == set(ATTACKS)


@pytest.mark.fault("B70")
@pytest.mark.parametrize("channel", WAYS, ids=lambda channel: channel.name)
def test_what_the_user_did_not_say_is_no_rule_and_is_never_recalled(
    channel: Channel, stage: Callable[[Sequence[str]], Stage]
) -> None:
    texts = some_for(channel)
    played = stage(texts)
    for number, text in enumerate(texts):
        played.play(channel, [text], f"s{number}")
    assert got_through(channel, played.memories(), texts) == []
    recalled = played.ask(texts)
    assert held("\n".join([*played.blocks, recalled]), texts) == []


@pytest.mark.fault("B70")
def test_the_same_texts_typed_by_the_user_are_learned_and_recalled(
    stage: Callable[[Sequence[str]], Stage],
) -> None:
    for text in ATTACKS:
        played = stage([text])
        played.session = "s1"
        played.tell("SessionStart", source="startup")
        played.prompt(text if asking.opens_with_an_ask(text) else f"remember: {text}")
        played.tell("SessionEnd", reason="other")
        played.end()
        (memory,) = played.memories()
        assert (memory.status, memory.origin) == (Status.ACTIVE, Origin.USER_TYPED), text
        assert any(held(said, [text]) for said in said_by(memory)), text
        assert held(played.ask([text]), [text]), text


@pytest.mark.parametrize("name", ["a failure that is fixed", "a word that an error names", "a session file"])
def test_the_rest_of_such_a_session_is_learned(name: str, stage: Callable[[Sequence[str]], Stage]) -> None:
    (channel,) = (one for one in WAYS if one.name == name)
    played = stage(ATTACKS[:1])
    played.play(channel, ATTACKS[:1], "s1")
    assert played.memories()
    assert re.search("`(?:pytest|npm run test)`", played.ask(()))


# --- each channel is watched ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Breach:
    """A guard that is taken away, and the channels by which something then gets through."""

    take_away: Callable[[pytest.MonkeyPatch], None]
    lets_in: Sequence[str]


def leaves(value: object) -> Iterator[str]:
    """Yield every text in a value, its parts at colons on lines of their own, as a careless reader would."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)


def heard(names: Sequence[str], delivery: Any) -> tuple[Event, ...]:
    """Take every text in some fields of a payload for a prompt."""
    texts = [text for name in names for text in leaves(delivery.fields.value(name))]
    return tuple(
        replace(
            delivery.event(
                f"{delivery.delivery_id}-{number}", UserPrompt(text=bare(text), channel=PromptChannel.TYPED)
            ),
            agent_id="",
        )
        for number, text in enumerate(texts)
    )


def bare(text: str) -> str:
    """Return a text without all that says where it comes from."""
    marks = r"<[^>]*>|\[[^\]\n]*\]|^.*\d\d:\d\d:\d\d INFO|^\S+\.\w+:\d+:|^.*?:\d+:\S* *#|[{}`|>+\"'#]|^\d+\t"
    return re.sub(marks, "\n", text, flags=re.MULTILINE)


def as_prompts_of(*hooks: str, fields: Sequence[str]) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a breach in which what stands in these hooks counts as typed."""
    reader = partial(heard, fields)
    return lambda patch: patch.setattr(
        claude_code, "_READERS", {**claude_code._READERS, **dict.fromkeys(hooks, reader)}
    )


def all_is_speech(patch: pytest.MonkeyPatch) -> None:
    """Whatever stands in a prompt is the user speaking."""
    for module in (claude_code, claude_prompts):
        patch.setattr(module, "is_harness_prompt", lambda text: False)
    patch.setattr(sentences, "lines", lambda text: [Line(text=line) for line in bare(text).split("\n")])
    patch.setattr(sentences, "without_pastes", list)
    patch.setattr(sentences, "reason_not_theirs", lambda parts: {})
    patch.setattr(sentences, "review_prose", lambda parts: {})


def all_words_are_kept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recipe_text, "kept_word", lambda word, cwd="": word)
    patch.setattr(recipe_text, "LONGEST_COMMAND", 1_000)


def no_call_ran(patch: pytest.MonkeyPatch) -> None:
    noted = _Reading._note_end

    def note(self: _Reading, event: Event) -> None:
        if isinstance(event.body, UserPrompt):
            noted(self, event)

    patch.setattr(_Reading, "_note_end", note)


BREACHES: Final[Mapping[str, Breach]] = {
    "what tools give back is speech": Breach(
        as_prompts_of("PostToolUse", "PostToolUseFailure", fields=("tool_response", "error")),
        (
            "output of a command",
            "error stream of a command that worked",
            "history, branches and pull requests",
            "a failure that is fixed",
            "a word that an error names",
            "a hook of git",
            "a file that is read",
            "results of a search",
            "a web page",
            "a tool of a server",
        ),
    ),
    "what the agent gives to tools is speech": Breach(
        as_prompts_of("PreToolUse", fields=("tool_input",)),
        ("commands of the agent", "what the agent gives to tools", "a subagent"),
    ),
    "other hooks are speech": Breach(
        as_prompts_of(
            *("Stop", "MessageDisplay", "PreCompact", "PostCompact"),
            fields=("last_assistant_message", "message", "custom_instructions", "compact_summary"),
        ),
        ("what the agent answers", "a compaction"),
    ),
    "every prompt is a person's": Breach(
        as_prompts_of("UserPromptSubmit", fields=("prompt",)),
        ("a subagent", "a session without a person", "a prompt that the program made"),
    ),
    "nobody tells typed from headless": Breach(
        lambda patch: patch.setattr(gate, "_origin", lambda channel: Origin.USER_TYPED),
        ("a session without a person", "a prompt that the program made", "a file of a session without a person"),
    ),
    "all of a prompt is speech": Breach(
        all_is_speech, [*(f"harness: {name}" for name in MACHINERY), *(f"pasted: {name}" for name in PASTED)]
    ),
    "a call that ran may have been refused": Breach(
        no_call_ran, ("a result that reads like a refusal", "such a result in a session without a person")
    ),
    "a result in a file may be a refusal by its words": Breach(
        lambda patch: patch.setattr(claude_prompts.PromptFinder, "_is_refused", lambda *_: True), ("a session file",)
    ),
    "every line of a file is said": Breach(
        lambda patch: patch.setattr(claude_prompts, "_is_said", lambda fields: True), ("a session file",)
    ),
    "what a tool printed may be a memory": Breach(
        lambda patch: patch.setitem(trust.STANDING, Origin.TOOL_OUTPUT, Status.ACTIVE), ("a file of memories",)
    ),
    "every word of a command is kept": Breach(
        all_words_are_kept,
        ("an error that says what to run", "commands of the agent"),
    ),
    "every file is of interest": Breach(
        lambda patch: patch.setattr(repeated_lookup, "is_of_interest", lambda path: True), ("names of files",)
    ),
}


@pytest.mark.parametrize("name", BREACHES)
def test_without_its_guard_a_channel_lets_the_texts_in(
    name: str, stage: Callable[[Sequence[str]], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    breach = BREACHES[name]
    breach.take_away(monkeypatch)
    tight = []
    for channel in (one for one in WAYS if one.name in breach.lets_in):
        played = stage(ATTACKS[:2])
        played.play(channel, ATTACKS[:2], "s1")
        if not got_through(channel, played.memories(), ATTACKS[:2]):
            tight.append(channel.name)
    assert tight == []


def test_every_channel_has_a_guard_that_is_taken_away() -> None:
    assert {name for breach in BREACHES.values() for name in breach.lets_in} == {channel.name for channel in WAYS}


# --- the handed texts -------------------------------------------------------------------------------------------


def handed() -> list[str]:
    """Return the texts of the measurement data, every other one as something to remember."""
    with gzip.open(shared("safety", "injection.jsonl.gz"), "rt") as file:
        said = [json.loads(line)["text"] for line in file]
    return [f"Remember: {text}" if number % 2 else text for number, text in enumerate(said)]


@pytest.mark.corpus
@pytest.mark.timeout(900)
@pytest.mark.fault("B70")
@pytest.mark.parametrize("channel", WAYS, ids=lambda channel: channel.name)
def test_no_handed_text_gets_through(channel: Channel, stage: Callable[[Sequence[str]], Stage]) -> None:
    texts = handed()
    for first in range(0, len(texts), _AT_ONCE):
        told = texts[first : first + _AT_ONCE]
        played = stage(told)
        played.play(channel, told, f"s{first}")
        assert got_through(channel, played.memories(), told) == []
        assert held("\n".join([*played.blocks, played.ask(told[:_ASKED])]), told) == []


@pytest.mark.corpus
@pytest.mark.timeout(300)
def test_handed_texts_that_the_user_types_are_learned(stage: Callable[[Sequence[str]], Stage]) -> None:
    asked = [text for text in handed() if asking.opens_with_an_ask(text)]
    learned = 0
    for number, text in enumerate(asked):
        played = stage(())
        played.session = f"typed{number}"
        played.prompt(text)
        played.tell("SessionEnd", reason="other")
        played.end()
        learned += any(memory.status is Status.ACTIVE for memory in played.memories())
    print(f"\n{learned} of {len(asked)} handed texts are learned when the user types them")
    assert 2 * learned > len(asked)
