"""Which sentences are somebody else's words, or a text that is to be written, and how far that reaches.

An introducer ("here is the review:", "write a lint rule: ...") governs the rest of its line; when it ends the line, the
paragraph or the list below it. Mail governs everything down to its closing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Final

from wisen.core.signals.asking import opens_with_an_ask
from wisen.core.signals.speech import Sentence

NOT_THEIRS: Final = "somebody else's words"
TO_BE_WRITTEN: Final = "a text that is to be written"


def reason_not_theirs(parts: Sequence[Sentence]) -> dict[int, str]:
    """Return, by index, why a sentence is not the user's own word."""
    reasons: dict[int, str] = dict.fromkeys(_mail(parts), NOT_THEIRS)
    reasons |= dict.fromkeys(_chat(parts), NOT_THEIRS)
    for at, part in enumerate(parts):
        if at in reasons or part.dropped:
            continue
        reason = _introduces(part.text)
        if reason:
            reasons |= dict.fromkeys(_governed(parts, at), reason)
    return reasons


# --- introducers ------------------------------------------------------------------------------------------------

_TEXT: Final = (
    r"(?:reviews?|(?:review )?comments?|feedback|findings?|logs?|outputs?|errors?|warnings?|e-?mails?|plan|diff"
    r"|(?:style ?)?guide(?:lines)?|docs?|documentation|readme|specs?|specification|tickets?|issues?|stor(?:y|ies)"
    r"|transcript|chat|conversation|thread|discussion|answers?|repl(?:y|ies)|responses?|quotes?|article|post"
    r"|prompt|trace|report|summary|commit|description)"
)
_ABOUT: Final = r"(?:[\w.'’`/-]+ ){0,4}?"
_ASKED: Final = r"(?:please |can you |could you |now |also |then )*"
_COLON: Final = r"\s?[:：](?!\S)"
_SAYS: Final = (
    r"(?:says?|said|wrote|writes|states?|comment(?:s|ed)|suggest(?:s|ed)|recommends?|repl(?:ies|ied)|answer(?:s"
    r"|ed)|asks?|asked|posted|claims?|reads?|complains?|reports?)"
)

_WRITTEN: Final = (
    (
        rf"{_ASKED}(?:write|generate|create|draft|compose|prepare|produce|translate|rephrase|rewrite|reword|update"
        rf"|extend"
        r"|edit|put|add|append|insert)\b(?![^:]*\b(?:(?:claude|agents)\.md|memory"
        r"|memories)\b)[^:]{2,80}[:：](?!\S)"
    ),
    r"(?:you are|you're|act as) an? [\w -]{3,60}\.$",  # how a prompt for a model begins
    rf"{_ABOUT}prompt(?: \w+){{0,4}}{_COLON}",
    r"(?:(?:user )?story|ticket|issue|feature|requirements?|acceptance criteria)\b[^.:]{0,30}[:：](?!\S)",
    r"as an? \w+,? i (?:want|can|need|always|should)\b",
)
_SAID: Final = (
    rf"(?!(?:i|we|you)\b)[\w.@'’-]+(?: [\w.@'’-]+){{0,3}} {_SAYS}\b[^.:]{{0,40}}{_COLON}",  # "Anna wrote on slack:"
    rf"(?:the |this |their |his |her )?{_ABOUT}{_TEXT} (?:is|was|from [\w ]+|by [\w ]+){_COLON}",
    r"(?:i|we) (?:got|found|have|copied|read) (?:this|that|it|these) (?:from|in|on|at)\b[^.:]{0,40}[:：](?!\S)",
    rf"[\w./-]+\.(?:md|txt|rst|ya?ml|json|toml|adoc){_COLON}",
    rf"(?:eslint|copilot|codex|gemini|chatgpt|coderabbit|linter|compiler|ci|bot|q|a|question|answer){_COLON}",
    r"@\w[\w.-]*:(?!\S)",
    r"here(?:'s| is) what \w+",
    rf"here(?:'s| is| are) {_ABOUT}(?:{_TEXT}|notes?)\b",
)
_HEADS: Final = (
    # these say whose words follow only when they end the line: "address the comments:", "Copilot review:"
    (
        rf"{_ASKED}(?:address|summari[sz]e|review|check|explain|proofread|resolve|fix|apply|handle|analy[sz]e"
        rf"|respond"
        r"|reply|look|go through|work through|implement|process)\b[^.:]{0,80}[:：]$"
    ),
    rf"(?:the |this |their |his |her |from |see |below |attached )?{_ABOUT}{_TEXT}[:：]$",
    r"(?-i:[A-Z]{3,}[\w.-]*)[:：]$",
    rf"(?:attached|below) (?:is|are) {_ABOUT}{_TEXT}\b[^.]*$",
)


@cache
def _introducers() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return (
        (TO_BE_WRITTEN, re.compile("|".join(_WRITTEN), re.IGNORECASE)),
        (NOT_THEIRS, re.compile("|".join((*_SAID, *_HEADS)), re.IGNORECASE)),
    )


def _introduces(text: str) -> str:
    """Why what follows is not the user's word; empty when it is."""
    return next((reason for reason, pattern in _introducers() if pattern.match(text)), "")


def _governed(parts: Sequence[Sentence], at: int) -> Iterator[int]:
    """The indexes an introducer at `at` governs, itself first."""
    yield at
    behind = list(takewhile(lambda n: parts[n].line == parts[at].line, range(at + 1, len(parts))))
    yield from behind
    ends_in_colon = parts[at].text.endswith((":", "："))
    if not behind and (ends_in_colon or ":" not in parts[at].text):
        yield from _below(parts, at, across_blank=ends_in_colon)


def _below(parts: Sequence[Sentence], at: int, *, across_blank: bool) -> Iterator[int]:
    """The list or paragraph below; nothing when a fence is what was introduced, or an ask of the user's own follows."""
    first = at + 1
    if first >= len(parts) or parts[first].dropped:
        return
    is_apart = parts[first].paragraph != parts[at].paragraph
    if is_apart and not across_blank and opens_with_an_ask(parts[first].text):
        return
    run = range(first, len(parts))
    if parts[first].item:
        yield from takewhile(lambda n: parts[n].item and not parts[n].dropped, run)
    else:
        yield from takewhile(lambda n: parts[n].paragraph == parts[first].paragraph, run)


# --- mail and chat ----------------------------------------------------------------------------------------------

_NAME: Final = r"[A-Z][\w-]+(?: [A-Z][\w-]+)?"


@cache
def _header() -> re.Pattern[str]:
    return re.compile(r"(?:From|Subject|To|Date|Sent|Cc): \S")


@cache
def _greeting() -> re.Pattern[str]:
    who = r"(?:all|team|everyone|folks|there|(?!Claude\b)[A-Z][\w-]+)"
    return re.compile(rf"(?i:hi|hello|dear|hey|hallo|liebe\w?|bonjour|hola) {who}(?: [A-Z][\w-]+)?[,!]?")


@cache
def _closing() -> re.Pattern[str]:
    words = r"(?i:(?:all the )?best|thanks|thank you|(?:(?:kind|best) )?regards|cheers|sincerely|yours|vg|lg)"
    return re.compile(rf"{words}[,.!]?(?P<name>,? {_NAME})?")


def _mail(parts: Sequence[Sentence]) -> Iterator[int]:
    """From the header, or from a greeting on a line of its own that a signature answers, down to that signature."""
    heads = [at for at, part in enumerate(parts) if not part.dropped and _header().match(part.text)]
    if heads and (len(heads) > 1 or parts[heads[0]].text.startswith("From:")):
        end = next((end for at in range(heads[-1], len(parts)) if (end := _signed(parts, at))), len(parts))
        yield from range(heads[0], end)
        return
    greeting = next((at for at, part in enumerate(parts) if _greeting().fullmatch(part.text)), len(parts))
    yield from range(greeting, next((end for at in range(greeting, len(parts)) if (end := _signed(parts, at))), 0))


def _signed(parts: Sequence[Sentence], at: int) -> int:
    """The index behind a closing with a name, in its line or below; 0 when there is none at `at`."""
    closing = _closing().fullmatch(parts[at].text)
    if closing is None:
        return 0
    if closing["name"]:
        return at + 1
    is_signed = at + 1 < len(parts) and re.fullmatch(_NAME, parts[at + 1].text)
    return at + 2 if is_signed else 0


@cache
def _label() -> re.Pattern[str]:
    return re.compile(r"@?([A-Za-z][\w.-]{1,20}): ?(?=\S|$)")


@cache
def _speaks() -> re.Pattern[str]:
    return re.compile(r"@?[A-Za-z][\w.-]{1,20}: (?:we|i|you|i'm|we're)\b", re.IGNORECASE)


_LABELS: Final = frozenset(
    "note notes rule rules important reminder remember fyi btw ps also style convention policy tip hint caution "
    "attention please again correction no yes ok lesson todo tldr summary context unremember".split()
)
"""Words the user puts before a colon that are nobody's name."""


def _chat(parts: Sequence[Sentence]) -> Iterator[int]:
    """Lines that begin with a name: two in a row, or one that goes on in the first person."""
    labels = {
        part.line: found[1].lower()
        for part in parts
        if not part.dropped
        and not part.item
        and (found := _label().match(part.text))
        and not opens_with_an_ask(part.text)
    }
    speaking = {part.line for part in parts if _speaks().match(part.text)} & labels.keys()
    speaking -= {line for line in speaking if labels[line] in _LABELS}
    rows = {line for line in labels if any(_is_row(labels, line, beside) for beside in (line - 1, line + 1))}
    for at, part in enumerate(parts):
        if part.line in speaking | rows:
            yield at
            if part.text.endswith(":"):
                yield from takewhile(lambda n: parts[n].item, range(at + 1, len(parts)))


def _is_row(labels: Mapping[int, str], line: int, beside: int) -> bool:
    """Do two lines in a row begin with labels that are not both the user's own ("note:", "rule:")?"""
    return beside in labels and not _LABELS.issuperset({labels[line], labels[beside]})
