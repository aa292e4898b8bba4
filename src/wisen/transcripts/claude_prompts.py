"""What did the user say in a Claude Code transcript, in which words and under which natural key?

A prompt is a `user` line. One typed while the agent works is first a `queue-operation` line; it becomes an `attachment`
line when the running turn takes it up, a `user` line with a prompt id of its own when the turn ends first, and in older
versions nothing more. The live hook fires when it is typed and carries the id of the turn that runs then: so does the
key here. Words in a refused tool call stand in its result; words added when allowing one stand beside it, and no hook
ever tells them.

A fork copies the history into its own file and gives every copied prompt the id of the fork's first own prompt. All
that stands before that prompt was said in another session and is left to that session's file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from wisen.core.excerpts import halves
from wisen.core.past import Said
from wisen.core.types import PromptChannel
from wisen.transcripts.claude_words import (
    INTERACTIVE_ENTRYPOINT,
    digest,
    is_harness_prompt,
    is_plan,
    prompt_key,
    refusal_key,
    refusal_words,
)
from wisen.transcripts.fields import Fields, JsonValue, objects_in, text_in, texts_in
from wisen.transcripts.lines import Line

MOST_CHARS: Final = 128 * 1024  # more than an adapter keeps of any text
# A script asks once; who comes back with a second prompt is a person. Holds for files of versions that don't say.
_A_CONVERSATION: Final = 2
_BY_USER: Final = "user-rejected"
_OF_A_SERVER: Final = "mcp__"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Something the user said. `at` is None where the line has no time of its own.

    `has_hook` is False for words that a live session tells no hook, or only as part of another call's payload.
    `is_marked`: its line, or the program's own mark in the file, says how it came. `branch` was checked out then.
    """

    key: str
    text: str
    channel: PromptChannel
    prompt_id: str
    offset: int
    at: datetime | None
    cwd: str
    session_id: str
    has_hook: bool = True
    is_marked: bool = True
    branch: str = ""
    call_id: str = ""  # of the call that was refused

    @property
    def said(self) -> Said:
        """How it came, and how that is known."""
        if self.channel is PromptChannel.HEADLESS:
            return Said.HEADLESS if self.is_marked else Said.ALONE
        return Said.TYPED if self.is_marked else Said.IN_CONVERSATION


@dataclass(slots=True, kw_only=True)
class PromptFinder:
    """Takes a transcript's lines from its start, in order; `prompts` gives what was said.

    `assume_interactive` holds where no mark says how the prompts came. None: they were typed if there are two or more.
    """

    assume_interactive: bool | None
    _turn: str = ""  # the prompt id of the turn that runs
    _entrypoint: str = ""
    _cwd: str = ""
    _branch: str = ""
    _session_id: str = ""
    _by_system: list[int] = field(default_factory=list)  # where lines stand whose words the harness wrote
    _found: list[Prompt] = field(default_factory=list)
    _queued: list[Prompt] = field(default_factory=list)
    _turns: set[str] = field(default_factory=set)
    _uuids: set[str] = field(default_factory=set)  # of lines with words only: a long session has few of them
    _of_servers: set[str] = field(default_factory=set)  # calls of tools that somebody's server offers
    _own_from: int = 0

    @property
    def own_from(self) -> int:
        """Where the session's own lines begin, in bytes: what stands before was copied here by a fork."""
        return self._own_from

    def take(self, line: Line) -> None:
        """Read one line."""
        fields = line.fields
        if fields.flag("isSidechain"):
            return
        self._cwd = fields.text("cwd") or self._cwd
        self._branch = fields.text("gitBranch") or self._branch
        self._entrypoint = fields.text("entrypoint") or self._entrypoint
        self._session_id = fields.text("sessionId") or self._session_id
        match fields.text("type"):
            case "user":
                self._user(line)
            case "assistant":
                self._calls(line)
            case "queue-operation":
                self._queue(line)
            case "attachment":
                self._attachment(line)
            case _:
                pass

    def prompts(self) -> tuple[Prompt, ...]:
        """Return all that was said, in file order, each thing once."""
        typed = PromptChannel.TYPED
        waiting = (
            prompt for prompt in self._queued if prompt.channel is typed and not prompt.text.startswith(("/", "!"))
        )
        by_key = {prompt.key: prompt for prompt in reversed([*self._found, *waiting])}
        return self._judged(sorted(by_key.values(), key=lambda prompt: prompt.offset))

    def split(self, fresh_from: int = 0) -> Mapping[Said, int]:
        """Return how many prompts from an offset on came in which way."""
        fresh = Counter(prompt.said for prompt in self.prompts() if prompt.offset >= fresh_from)
        return fresh + Counter({Said.BY_SYSTEM: sum(offset >= fresh_from for offset in self._by_system)})

    def _judged(self, prompts: Sequence[Prompt]) -> tuple[Prompt, ...]:
        """Return prompts with the channel that only the whole file tells."""
        unmarked = [prompt for prompt in prompts if not prompt.is_marked]
        if self.assume_interactive is not None or len(unmarked) >= _A_CONVERSATION:
            return tuple(prompts)
        return tuple(p if p.is_marked else replace(p, channel=PromptChannel.HEADLESS) for p in prompts)

    def _user(self, line: Line) -> None:
        fields = line.fields
        prompt_id = fields.text("promptId")
        content = fields.object("message").value("content")
        self._turn = prompt_id or self._turn
        text = "\n".join(part for part in texts_in(content) if not is_harness_prompt(part))
        if not _is_said(fields):
            if fields.text("promptSource") == "system":
                self._by_system.append(line.offset)
            return
        if results := [block for block in objects_in(content) if block.text("type") == "tool_result"]:
            self._refusals(line, results)
            if text:  # what the user added when allowing the call
                self._found.append(replace(self._prompt(line, text, self._turn), has_hook=False))
            return
        if not text or self._is_copy(fields):
            return
        if prompt_id and prompt_id in self._turns:  # what came before was copied here by a fork
            self._own_from = line.offset
            self._found = [prompt for prompt in self._found if prompt.key.startswith("refusal:")]
            self._queued.clear()
        self._turns.add(prompt_id)
        waited = self._take_queued(text)
        turn = waited.prompt_id if waited and fields.text("promptSource") == "queued" else prompt_id
        self._found.append(self._prompt(line, text, turn))

    def _refusals(self, line: Line, results: Iterable[Fields]) -> None:
        for result in results:
            words = refusal_words(text_in(result.value("content")))
            call_id = result.text("tool_use_id")
            if not words or not call_id or not self._is_refused(line.fields, result, call_id):
                continue
            prompt = self._prompt(line, words, self._turn)
            typed = prompt.channel is PromptChannel.TYPED
            channel = PromptChannel.REFUSAL if typed else PromptChannel.HEADLESS
            self._found.append(
                replace(prompt, key=refusal_key(call_id), channel=channel, has_hook=False, call_id=call_id)
            )

    def _is_refused(self, fields: Fields, result: Fields, call_id: str) -> bool:
        """Say whether the harness itself says that a call was refused: a tool may give back the same words.

        Older versions mark it as an error only. So does a server's tool whose own words are the error.
        """
        kind = fields.text("toolDenialKind")
        return result.flag("is_error") and (kind == _BY_USER if kind else call_id not in self._of_servers)

    def _calls(self, line: Line) -> None:
        blocks = line.fields.object("message").objects("content")
        self._of_servers.update(block.text("id") for block in blocks if block.text("name").startswith(_OF_A_SERVER))

    def _queue(self, line: Line) -> None:
        fields = line.fields
        text = text_in(fields.value("content"))
        match fields.text("operation"):
            case "enqueue" if text and not is_harness_prompt(text):
                self._queued.append(self._prompt(line, text, self._turn))
            case "popAll":  # taken back into the input line
                self._queued.clear()
            case "remove" if fields.text("reason") not in {"", "absorbed_mid_turn"}:
                self._take_queued(text)
            case _:
                pass

    def _attachment(self, line: Line) -> None:
        command = line.fields.object("attachment")
        text = text_in(command.value("prompt"))
        if command.text("type") != "queued_command" or command.text("commandMode") != "prompt":
            return
        if not text or is_harness_prompt(text) or not _is_said(command) or self._is_copy(line.fields):
            return
        waited = self._take_queued(text)
        self._found.append(self._prompt(line, text, waited.prompt_id if waited else self._turn))

    def _is_copy(self, fields: Fields) -> bool:
        """Say whether a line with words stands here for the second time."""
        uuid = fields.text("uuid")
        if uuid in self._uuids:
            return True
        if uuid:
            self._uuids.add(uuid)
        return False

    def _take_queued(self, text: str) -> Prompt | None:
        """Return the waiting prompt with this text and wait for it no longer."""
        kept = _kept(text)
        for index, prompt in enumerate(self._queued):
            if prompt.text == kept:
                return self._queued.pop(index)
        return None

    def _prompt(self, line: Line, text: str, turn: str) -> Prompt:
        at = timestamp(line.fields.value("timestamp"))
        # Versions before prompt ids: the live event's key can't be known; time and text are the same in every copy.
        key = prompt_key(turn, text) if turn else "line:" + digest(f"{at} {text}")
        return Prompt(
            key=key,
            text=_kept(text),
            channel=self._channel(line.fields, text),
            is_marked=self._is_marked(line.fields, text),
            branch=self._branch,
            prompt_id=turn,
            offset=line.offset,
            at=at,
            cwd=self._cwd,
            session_id=self._session_id,
        )

    def _channel(self, fields: Fields, text: str) -> PromptChannel:
        """Say how the words came. The line's own mark counts first, then the program's, then the caller's word."""
        entrypoint = fields.text("entrypoint") or self._entrypoint
        typed = entrypoint == INTERACTIVE_ENTRYPOINT if entrypoint else self.assume_interactive is not False
        if source := fields.text("promptSource"):
            typed = source in {"typed", "queued"} and entrypoint in {"", INTERACTIVE_ENTRYPOINT}
        if is_plan(text) or fields.flag("textNotTyped"):
            typed = False
        return PromptChannel.TYPED if typed else PromptChannel.HEADLESS

    def _is_marked(self, fields: Fields, text: str) -> bool:
        by_line = fields.text("entrypoint") or fields.text("promptSource") or fields.flag("textNotTyped")
        return bool(by_line or self._entrypoint) or is_plan(text)


def _kept(text: str) -> str:
    """Return what is held of a prompt until the whole file is read; a pasted file would be held for nothing."""
    if len(text) <= MOST_CHARS:
        return text
    head, tail = halves(text, MOST_CHARS)
    return f"{head}\n[... {len(text)} characters ...]\n{tail}"


def timestamp(value: JsonValue) -> datetime | None:
    """Return an RFC 3339 time in UTC; one without an offset is UTC already. None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _is_said(fields: Fields) -> bool:
    """Say whether a line holds a person's words: not the harness's notes, summaries, wake-ups and messages."""
    notes = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    by_person = fields.object("origin").text("kind") in {"", "human"}
    return by_person and fields.text("promptSource") != "system" and not any(fields.flag(note) for note in notes)
