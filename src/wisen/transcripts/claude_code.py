"""What does a Claude Code session file hold that the hooks may have missed, and which memories has it seen already?

The file is the harness's own and is only read. What wisen injected (attachment lines), snapshots of requests, hook
output, subagents, summaries and slash commands are never taken for the user's words.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from wisen.core.past import Said
from wisen.core.records import ReadMark
from wisen.transcripts.claude_prompts import Prompt, PromptFinder, timestamp
from wisen.transcripts.claude_tools import Compaction, ToolFact, ToolFinder
from wisen.transcripts.fields import text_in
from wisen.transcripts.lines import LineReader

_BLOCK = re.compile(
    r'<wisen-memory id="(?P<nonce>[a-z0-9]+)"[^\n]*\n(?P<lines>.*?)\n</wisen-memory id="(?P=nonce)">', re.DOTALL
)
_SHORT_ID = re.compile(r"^- \[([0-9a-f]{8})\] ", re.MULTILINE)
_TAIL_BYTES = 256 * 1024
_SAME_REPLY = timedelta(seconds=2.5)  # Claude Code tells the age of a reply in whole seconds
_WITNESS_BYTES: Final = 256  # the end of a line: its uuid and time are in them
_START: Final = ReadMark()

Fact: TypeAlias = ToolFact | Prompt


class Reading:
    """Iterates over what a session file says beyond a mark; the other attributes are true when it is at its end.

    Tools and compactions come in file order, what the user said after them: whether a prompt is the session's own, and
    which turn it came in, only the whole file tells. So the part before the mark is read too.

    `skipped` counts lines beyond the mark that hold no object or too much; `incomplete` means that the last line is
    still being written. `modified` is when the file was last written, UTC. `split` counts the prompts beyond the
    mark by how they came.
    """

    def __init__(self, path: Path, *, mark: ReadMark = _START, assume_interactive: bool | None = False) -> None:
        """Open nothing yet. `assume_interactive` holds for files of versions that don't say how a prompt came.

        None: they were typed if there are two or more in the file.
        """
        self.path = path
        self.mark = mark
        self.skipped = 0
        self.incomplete = False
        self.modified = datetime.fromtimestamp(0, UTC)
        self.split: Mapping[Said, int] = {}
        self._prompts = PromptFinder(assume_interactive=assume_interactive)
        self._tools = ToolFinder()

    def __iter__(self) -> Iterator[Fact]:
        """Yield what was said and done. Raises OSError for what can't be read, also for what is no file."""
        with opened(self.path) as file:
            state = os.fstat(file.fileno())
            self.modified = datetime.fromtimestamp(state.st_mtime, UTC)
            fresh_from = self.mark.offset if _is_same_file(file, self.mark) else 0
            reader = LineReader(file, fresh_from=fresh_from)
            compactions: list[Compaction] = []
            for line in reader:
                self._prompts.take(line)
                for fact in self._tools.take(line):
                    if fact.place.offset < fresh_from:
                        continue
                    if isinstance(fact, Compaction):
                        compactions.append(fact)
                    else:
                        yield fact
            yield from (fact for fact in compactions if fact.place.offset >= self._prompts.own_from)
            yield from (prompt for prompt in self._prompts.prompts() if prompt.offset >= fresh_from)
            self.skipped, self.incomplete = reader.skipped, reader.incomplete
            self.split = self._prompts.split(fresh_from)
            self.mark = ReadMark(
                offset=reader.next_offset, size=state.st_size, before=_digest_before(file, reader.next_offset)
            )


def size(path: Path) -> int | None:
    """Return how many bytes a session file has, None for one that can't be read."""
    try:
        with opened(path) as file:
            return os.fstat(file.fileno()).st_size
    except OSError:
        return None


def injected_ids(path: Path, *, last_reply_at: datetime | None = None) -> frozenset[str]:
    """Return the short ids of memories in recall blocks that this history still holds: those after its last compaction.

    A fork's file is written with its first prompt. Before, `last_reply_at` (when the model last answered in the copied
    history) tells which file in the same folder it is a copy of. Nothing for files that can't be read.
    """
    try:
        if not path.exists() and last_reply_at is not None:
            path = _forked_from(path, last_reply_at) or path
        with opened(path) as file:
            return _ids_after_compaction(file)
    except OSError:
        return frozenset()


def opened(path: Path) -> BinaryIO:
    """Open a regular file, never a pipe that would block. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return os.fdopen(fd, "rb")
    os.close(fd)
    raise FileNotFoundError(f"no transcript at {path}")


def _is_same_file(file: BinaryIO, mark: ReadMark) -> bool:
    """Say whether a file still holds what was read of it: a session file only grows."""
    return mark.offset == 0 or _digest_before(file, mark.offset) == mark.before


def _digest_before(file: BinaryIO, offset: int) -> str:
    """Return a digest of the bytes before `offset`; '' at the start, and where the file ends before it."""
    begin = max(offset - _WITNESS_BYTES, 0)
    file.seek(begin)
    data = file.read(offset - begin)
    return hashlib.sha256(data).hexdigest()[:16] if data and len(data) == offset - begin else ""


def _ids_after_compaction(file: BinaryIO) -> frozenset[str]:
    found: set[str] = set()
    for line in LineReader(file, mentioning=(b"wisen-memory", b"compact_boundary")):
        fields = line.fields
        attachment = fields.object("attachment")
        if fields.text("type") == "system" and fields.text("subtype") == "compact_boundary":
            found.clear()
        elif fields.text("type") == "attachment" and attachment.text("type") == "hook_additional_context":
            for block in _BLOCK.finditer(text_in(attachment.value("content"))):
                found.update(_SHORT_ID.findall(block["lines"]))
    return frozenset(found)


def _forked_from(path: Path, last_reply_at: datetime) -> Path | None:
    """Return the session file beside `path` whose model last answered at that moment, if there is exactly one."""
    at = last_reply_at.timestamp()
    slack = _SAME_REPLY.total_seconds()
    # A file written last before the reply can't hold it.
    near = [other for other in path.parent.glob("*.jsonl") if other.stat().st_mtime >= at - slack]
    same = [other for other in near if (last := _last_reply(other)) and abs(last - last_reply_at) <= _SAME_REPLY]
    return same[0] if len(same) == 1 else None


def _last_reply(path: Path) -> datetime | None:
    last = None
    with opened(path) as file:
        start = max(os.fstat(file.fileno()).st_size - _TAIL_BYTES, 0)
        for line in LineReader(file, start=start, mentioning=(b'"assistant"',)):
            if line.fields.text("type") == "assistant" and not line.fields.flag("isSidechain"):
                last = timestamp(line.fields.value("timestamp")) or last
    return last
