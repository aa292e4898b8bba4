"""How right is the gate about commands that failed and then worked? Labelled windows through adapter and gate."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from wisen.adapters.claude_code import events_of
from wisen.core.signals.failure_delta import recipes
from wisen.core.types import Event, Signal, Tier
from wisen.errors import PayloadError
from wisen.evals.gate_score import GateScore, Judged, score_of
from wisen.evals.labelled import labelled
from wisen.transcripts.fields import Fields, JsonValue, decode

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SHELLS: Final = frozenset({"Bash", "exec_command", "shell", "local_shell", "run_shell_command"})
_EDITS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "replace", "write_file"})


def score(path: Path, *, but_not: Collection[str] = ()) -> GateScore:
    """Score the gate on a file of labelled windows.

    A line has `id`, `repo`, `fail` and `success` (`tool`, `input`, `error` or `output`), `between` (`tool`, `input`,
    `outcome`), `user_prompts_between` and `label` with `label` (right is `recipe`) and `firm`. Raises NotFound and
    PayloadError.
    """
    return score_of(_judged(row) for row in labelled(path, but_not=but_not))


def signals_in(row: Fields) -> tuple[Signal, ...]:
    """Return what the gate makes of one labelled window."""
    return tuple(recipes(events_in(row)))


def tier_of(row: Fields) -> Tier | None:
    """Return the surest tier of a window's signals; None when it gives none."""
    tiers = {signal.tier for signal in signals_in(row)}
    return next((tier for tier in (Tier.ADOPT, Tier.SUGGEST) if tier in tiers), None)


def _judged(row: Fields) -> Judged:
    label = row.object("label")
    return Judged(
        repository=row.text("repo"),
        tier=tier_of(row),
        is_right=label.text("label") == "recipe",
        is_firm=label.flag("firm"),
    )


# --- windows as a harness would have told them ------------------------------------------------------------------


def events_in(row: Fields) -> Iterator[Event]:
    """Yield the events of a window, a second apart, through the adapter of live hooks."""
    for number, payload in enumerate(_payloads(row)):
        yield from events_of(
            Fields(payload),
            entrypoint="cli",
            delivery_id=f"{row.text('id')}-{number}",
            received_at=_START + timedelta(seconds=number),
            redact=str,
        )


def _payloads(row: Fields) -> Iterator[Mapping[str, JsonValue]]:
    """The failure, what is known of the calls between and the prompts, and the success. Of those between no output is.

    A failure between tells no more than that it was one: it is given as interrupted, as nothing can be read from it.
    """
    failed, worked = row.object("fail"), row.object("success")
    yield _failure(row, "0", failed.text("tool"), failed.value("input"), failed.text("error"))
    for number, step in enumerate(row.objects("between"), 1):
        tool, given = step.text("tool"), step.value("input")
        if step.text("outcome") == "success":
            yield _success(row, str(number), tool, given, "")
        else:
            yield {**_failure(row, str(number), tool, given, ""), "is_interrupt": True}
    for number, said in enumerate(_strings(row.value("user_prompts_between"))):
        yield {**_base(row, None), "hook_event_name": "UserPromptSubmit", "prompt": said, "prompt_id": f"p{number}"}
    yield _success(row, "last", worked.text("tool"), worked.value("input"), worked.text("output"))


def _failure(row: Fields, call: str, tool: str, given: JsonValue, error: str) -> dict[str, JsonValue]:
    return {**_call(row, call, tool, given), "hook_event_name": "PostToolUseFailure", "error": plain_result(error)}


def _success(row: Fields, call: str, tool: str, given: JsonValue, output: str) -> dict[str, JsonValue]:
    response: JsonValue = {"stdout": plain_result(output), "stderr": "", "interrupted": False, "isImage": False}
    return {**_call(row, call, tool, given), "hook_event_name": "PostToolUse", "tool_response": response}


def _call(row: Fields, call: str, tool: str, given: JsonValue) -> dict[str, JsonValue]:
    name, field = ("Bash", "command") if tool in _SHELLS else ("Edit", "file_path") if tool in _EDITS else (tool, "")
    shaped = {field: given} if field and isinstance(given, str) else given
    return {**_base(row, given), "tool_name": name, "tool_input": shaped, "tool_use_id": f"{row.text('id')}-{call}"}


def _base(row: Fields, given: JsonValue) -> dict[str, JsonValue]:
    cwd = given.get("workdir") if isinstance(given, Mapping) else None
    return {"session_id": row.text("id"), "cwd": cwd if isinstance(cwd, str) else ""}


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))


_WRAPPED: Final = re.compile(
    r"\A(?:.*\n){0,8}?(?:Process exited with code (?P<code>\d+)\n(?:Original token count:.*\n)?)?Output:\n"
)
_INNER: Final = re.compile(r"\{\"chunk_id\".*\}\s*\Z", re.DOTALL)


def plain_result(result: str) -> str:
    """Return a result without the frame that Codex puts around it, its exit code as Claude Code tells it."""
    if not result.startswith(("Command: ", "Chunk ID: ", "Script ")):
        return result
    found = _WRAPPED.match(result)
    code, body = (found["code"] or "", result[found.end() :]) if found else ("", result)
    if inner := _INNER.search(body):
        try:
            fields = decode(inner[0].encode())
        except PayloadError:
            return body
        code, body = f"{fields.number('exit_code') or 0:.0f}", fields.text("output")
    return f"Exit code {code}\n{body}" if code not in {"", "0"} else body
