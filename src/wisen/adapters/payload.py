"""What did the agent call, and with what? A tool's name and input as a harness wrote them, made a `ToolCall`.

Shared by the adapters: the harnesses name their tools alike, and inputs come as objects, strings, lists or null.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence

from wisen.adapters.shell import segments
from wisen.core.excerpts import excerpt
from wisen.core.types import ToolCall
from wisen.transcripts.claude_words import digest
from wisen.transcripts.fields import Fields, JsonValue, clean, objects_in, text_in

EXCERPT_CHARS = 2_000
COMMAND_CHARS = 4_000
SUMMARY_CHARS = 1_000

FAMILIES: Mapping[str, str] = {
    "Bash": "shell",
    "Read": "read",
    "NotebookRead": "read",
    "Grep": "search",
    "Glob": "search",
    "LS": "search",
    "Edit": "edit",
    "Write": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Agent": "task",
    "Task": "task",
    "TaskCreate": "task",
}
_PATHS = ("file_path", "notebook_path", "path")
_TASK_TEXTS = ("subject", "description", "prompt")


def tool_call(*, call_id: str, tool: str, tool_input: JsonValue) -> ToolCall:
    """Return the call; texts are bounded by the constants above, `digest` covers the whole input."""
    family = FAMILIES.get(tool, "other")
    whole = _as_text(tool_input)
    fields = Fields(tool_input) if isinstance(tool_input, Mapping) else Fields()
    command = _command(tool_input) if family == "shell" else ""
    return ToolCall(
        call_id=call_id,
        tool=tool,
        family=family,
        command=excerpt(command, COMMAND_CHARS),
        segments=segments(command) if command else (),
        path=next((path for name in _PATHS if (path := fields.text(name))), ""),
        summary=_summary(family, fields, whole),
        digest=digest(whole),
    )


def result_text(response: JsonValue) -> str:
    """Return what a tool gave back as text: its output where we know the shape, else its JSON."""
    if isinstance(response, Mapping):
        fields = Fields(response)
        streams = [fields.text("stdout").rstrip("\n"), fields.text("stderr").rstrip("\n")]
        if "stdout" in fields or "stderr" in fields:
            return "\n".join(stream for stream in streams if stream)
        if content := fields.object("file").text("content"):
            return content
    return _as_text(response)


_EXIT_CODE = re.compile(r"\s*(?:Error: )?Exit [Cc]ode:? (?P<code>-?\d+)")


def says_failure(response: JsonValue, *, is_shell: bool) -> bool:
    """Tell whether what came back says itself that the call failed.

    A mark (`is_error`, `isError`, also on a block of a list), an exit code as a number, or in front of a shell's text.
    """
    if isinstance(response, Mapping):
        fields = Fields(response)
        codes = (fields.number(name) for name in ("exit_code", "exitCode", "returncode"))
        marked = fields.flag("is_error") or fields.flag("isError")
        return marked or any(codes) or says_failure(fields.value("content"), is_shell=is_shell)
    if isinstance(response, str):
        found = _EXIT_CODE.match(response) if is_shell else None
        return found is not None and int(found["code"]) != 0
    if isinstance(response, Sequence):
        return any(block.flag("is_error") or block.flag("isError") for block in objects_in(response)) or (
            is_shell and says_failure(text_in(response), is_shell=True)
        )
    return False


def _summary(family: str, fields: Fields, whole: str) -> str:
    if family == "task":
        return excerpt("\n".join(text for name in _TASK_TEXTS if (text := fields.text(name))), SUMMARY_CHARS)
    if family == "shell":
        return excerpt(fields.text("description"), SUMMARY_CHARS)
    return excerpt(whole, SUMMARY_CHARS)


def _command(tool_input: JsonValue) -> str:
    value = tool_input.get("command") if isinstance(tool_input, Mapping) else tool_input
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Sequence):
        return shlex.join(clean(word) for word in value if isinstance(word, str))
    return ""


def _as_text(value: JsonValue) -> str:
    if value is None:
        return ""
    return clean(value) if isinstance(value, str) else clean(json.dumps(value, ensure_ascii=False, sort_keys=True))
