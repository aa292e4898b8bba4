"""Which words in a Claude Code session are the harness's own, which are the user's, and what is an event's key?

Shared by the live adapter and the transcript reader, so that one thing seen twice has one natural key and one text.
Wordings are those of Claude Code 2.0.64 to 2.1.332, from recorded sessions.
"""

from __future__ import annotations

import hashlib
import re

_REFUSED = "The user doesn't want to "
_SAID = "the user said:\n"
# Newer versions add advice to the model below the user's words.
_ADVICE = "\n\nNote: The user's next message may contain a correction or preference."
_SIBLING = re.compile(r"(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call)")
_HARNESS_PROMPT = re.compile(
    r"\s*(?:<(?:task-notification|command-name|command-message|local-command-(?:caveat|stdout|stderr)"
    r"|bash-(?:input|stdout|stderr)|system-reminder)>|\[Request interrupted by user|Caveat: The messages below)"
)


def refusal_words(result: str) -> str:
    """Return what the user typed when refusing a tool call, '' when `result` is no refusal or holds no words."""
    if not result.startswith(_REFUSED):
        return ""
    _, said, words = result.partition(_SAID)
    return words.partition(_ADVICE)[0].strip() if said else ""


def is_unfinished(result: str) -> bool:
    """Say whether a failed call's text means that the tool never ran to its end: it says nothing about the tool."""
    return result.startswith((_REFUSED, "[Request interrupted by user")) or bool(_SIBLING.match(result))


def is_harness_prompt(text: str) -> bool:
    """Say whether a prompt is the harness's own message: a finished task, a command's output, an interruption."""
    return bool(_HARNESS_PROMPT.match(text))


def prompt_key(prompt_id: str, text: str) -> str:
    """Return a prompt's natural key: one typed mid-turn carries the running turn's id, the text tells them apart."""
    return f"prompt:{prompt_id}:{digest(text)}"


def refusal_key(tool_use_id: str) -> str:
    """Return the natural key of the words in a refused tool call."""
    return f"refusal:{tool_use_id}"


def digest(text: str) -> str:
    """Return the first 16 hex digits of the text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
