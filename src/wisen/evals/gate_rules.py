"""How right is the gate about what users say? Labelled prompts through the real gate, prompt by prompt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from wisen.core.gate import signals_of
from wisen.core.signals.setting import Setting
from wisen.core.types import Event, PromptChannel, Tier, UserPrompt
from wisen.evals.gate_score import GateScore, Judged, score_of
from wisen.evals.labelled import Strata, labelled, strata
from wisen.transcripts.fields import Fields


def score(prompts: Path, *, strata_file: Path | None = None, but_not: Collection[str] = ()) -> GateScore:
    """Score the gate on a file of labelled prompts; with strata also re-weighted to the natural mix.

    A line has `id`, `repo`, `kind` (how the words came), `prompt`, `prev_assistant` and `label` with `kind` (right is
    `durable`) and `firm`. Raises NotFound and PayloadError.
    """
    rows = tuple(labelled(prompts, but_not=but_not))
    known = strata(strata_file)
    drawn = Counter(known.of(row) for row in rows)
    return score_of(_judged(row, known, drawn) for row in rows)


def tier_of(row: Fields) -> Tier | None:
    """Return what the gate makes of one labelled prompt: the surest tier of its signals, None when it gives none."""
    tiers = {signal.tier for signal in signals_of(_event(row), setting=setting_of(row))}
    return next((tier for tier in (Tier.ADOPT, Tier.SUGGEST) if tier in tiers), None)


def setting_of(row: Fields) -> Setting:
    """Return what is known of the moment in which a labelled prompt was said."""
    return Setting(
        said_before=row.text("prev_assistant"),
        is_mid_turn=row.text("kind") == "queued",
        is_refusal=row.text("kind") == "tool_rejection",
    )


def _judged(row: Fields, known: Strata, drawn: Counter[str]) -> Judged:
    label, stratum = row.object("label"), known.of(row)
    return Judged(
        repository=row.text("repo"),
        language=row.text("lang") or language_of(row.text("prompt")),
        tier=tier_of(row),
        is_right=label.text("kind") == "durable",
        is_firm=label.flag("firm"),
        weight=known.size(stratum) / drawn[stratum],
    )


def _event(row: Fields) -> Event:
    channel = PromptChannel.REFUSAL if row.text("kind") == "tool_rejection" else PromptChannel.TYPED
    return Event(
        event_id=row.text("id"),
        delivery_id=row.text("id"),
        harness="",
        session_id=row.text("session"),
        at=datetime.fromtimestamp(0, UTC),
        cwd="",
        body=UserPrompt(text=row.text("prompt"), channel=channel),
    )


# --- in which language? -----------------------------------------------------------------------------------------

_SCRIPTS: Final = (
    ("ja", "\u3040-\u30ff"),
    ("ko", "\uac00-\ud7af"),
    ("zh", "\u4e00-\u9fff"),
    ("ru", "\u0400-\u04ff"),
    ("ar", "\u0600-\u06ff"),
    ("hi", "\u0900-\u097f"),
)
_WORDS: Final = {
    "en": "the and is to it of you we this that for in not with can are do what be on",
    "de": "der die das und ist nicht wir ich bitte auch ein eine mit für auf es zu den noch wie",
    "fr": "le la les et est pas nous une dans pour avec sur que des du je ça ce il faut",
    "es": "el los las y es que no una para con por en se lo esto del hay como pero",
    "pt": "o os as e é que não uma para com por em se isso do da como mas aqui",
    "it": "il gli e è che non una per con nel si lo questo del della come ma anche di",
    "vi": "không và là của cho các này khi đừng được có trong với",
}
"""Everyday words that tell languages in Latin letters apart."""


def language_of(text: str) -> str:
    """Guess the language of a prompt: by script, else by everyday words (two more than of English), else English."""
    for language, letters in _SCRIPTS:
        if re.search(f"[{letters}]", text):
            return language
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {language: _count(words, known) for language, known in _WORDS.items()}
    likeliest = max(counts, key=lambda language: counts[language])
    return likeliest if counts[likeliest] > counts["en"] + 1 else "en"


def _count(words: Sequence[str], known: str) -> int:
    return sum(word in _word_set(known) for word in words)


@cache
def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())
