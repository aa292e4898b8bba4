"""Which words in a Claude Code session are the harness's own, which are the user's, and what is an event's key?

Shared by the live adapter and the transcript reader, so that one thing seen twice has one natural key and one text.
Wordings are those of Claude Code 2.0.64 to 2.1.332, from recorded sessions.
"""

from __future__ import annotations

import hashlib
import re

HARNESS = "claude-code"
INTERACTIVE_ENTRYPOINT = "cli"  # CLAUDE_CODE_ENTRYPOINT of the terminal program; scripts have sdk-cli, sdk-py, ...

_REFUSED = ("The user doesn't want to ", "Permission for this tool use was denied. The tool use was rejected")
_NEVER_RUN = (*_REFUSED, "<tool_use_error>", "Claude requested permissions", "Permission ")
_SAID = re.compile(r"[Tt]he user said:\n")
# Some versions add advice to the model below the user's words.
_ADVICE = "\n\nNote: The user's next message may contain a correction or preference."
_CLARIFY = "The user wants to clarify these questions."
_SIBLING = re.compile(r"(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call)")
_HARNESS_PROMPT = re.compile(
    r"\s*(?:<(?:(?:task|agent)-notification|command-(?:name|message|args)|local-command-(?:caveat|stdout|stderr)"
    r"|bash-(?:input|stdout|stderr)|system-reminder|ide_[a-z_]+|teammate-message|cross-session-message)\b"
    r'|\[Request interrupted by user|Caveat: The messages below|\{"task_id":'
    r"|This session is being continued from a previous conversation)"
)


def is_refusal(result: str) -> bool:
    """Say whether a tool's result means that the user refused the call."""
    return result.startswith(_REFUSED)


def refusal_words(result: str) -> str:
    """Return what the user typed when refusing a tool call, '' when `result` is no refusal or holds no words."""
    if not is_refusal(result):
        return ""
    said = _SAID.search(result)
    words = result[said.end() :].partition(_ADVICE)[0].strip() if said else ""
    return "" if words.startswith(_CLARIFY) else words


def is_unfinished(result: str) -> bool:
    """Say whether a failed call's text means that the tool never ran to its end: it says nothing about the tool."""
    return result.startswith((*_REFUSED, "[Request interrupted by user")) or bool(_SIBLING.match(result))


def is_never_run(result: str) -> bool:
    """Say whether an error's text means that the tool did not start: refused, not permitted or not valid.

    Such a call fires no hook after PreToolUse and shows only in the batch.
    """
    return result.startswith(_NEVER_RUN)


def is_harness_prompt(text: str) -> bool:
    """Say whether a prompt is the harness's own message: a finished task, a command's output, a summary."""
    return bool(_HARNESS_PROMPT.match(text))


def is_plan(text: str) -> bool:
    """Say whether a prompt is a plan the agent wrote and the user let it carry out in a fresh context."""
    return text.startswith("Implement the following plan:")


def prompt_key(prompt_id: str, text: str) -> str:
    """Return a prompt's natural key: one typed mid-turn carries the running turn's id, the text tells them apart."""
    return f"prompt:{prompt_id}:{digest(text)}"


def refusal_key(tool_use_id: str) -> str:
    """Return the natural key of the words in a refused tool call."""
    return f"refusal:{tool_use_id}"


def tool_key(event_name: str, tool_use_id: str) -> str:
    """Return the natural key of a call (`pre_tool`) or of its end (`post_tool`)."""
    return f"{event_name}:{tool_use_id}"


def digest(text: str) -> str:
    """Return the first 16 hex digits of the text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
