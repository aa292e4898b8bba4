"""In which moment did the user say it? What is known beyond the words; every field may be unknown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What stood around a prompt.

    `said_before` is the end of what the agent had said (empty when unknown), `is_mid_turn` that the user typed while
    the agent worked, `is_refusal` that they said it when refusing a tool call.
    """

    said_before: str = ""
    is_mid_turn: bool = False
    is_refusal: bool = False
