from __future__ import annotations

import pytest

from wisen.core.signals.phrases import words_of
from wisen.core.signals.shape import Said, shape_of
from wisen.core.signals.speech import Sentence
from wisen.core.signals.wording import folded, without_lead_in


def shape(text: str) -> set[str]:
    whole = folded(text)
    one = Said(whole=whole, bare=folded(without_lead_in(text)), words=tuple(words_of(whole)))
    return set(shape_of(Sentence(text=text), one))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("we always squash before merging", "we do it as a habit"),
        ("i never read the summary", "I do it as a habit"),
        ("error codes are documented in the wiki page", "things of a kind"),
        ("the staging host runs an old kernel", "states how it is"),
        ("no mocks in the contract tests", "there is none"),
        ("there's no docker on this box", "there is none"),
        ("put that in CLAUDE.md", "for the guide"),
        ("schreib das in die CLAUDE.md", "for the guide"),
        ("that won't work because the clock drifts", "an objection with its reason"),
        ("we support nine backends, why do you name one?", "what we do, and you did not"),
        ("ok then rename the file", "begins with an order"),
        ("could you look at the diff", "asks for a piece of work"),
        ("let's take the second one", "let us do it"),
        ("should we keep the old endpoint", "an open question"),
        ("wie läuft das hier", "an open question"),
        ("it is too slow", "begins with a pointer"),
        ("please drop that", "ends on a pointer"),
        ("i'm looking at the trace", "in the middle of something"),
        ("we just merged the branch", "somebody did something"),
        ("call parseArgs first", "a symbol of the code"),
        ("see https://example.org/x", "a link"),
        ("ok", "very short"),
        ("the rules are:", "ends with a colon"),
    ],
)
def test_the_shape_is_named(text: str, name: str) -> None:
    assert name in shape(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("we saw it fail", "we do it as a habit"),
        ("we need a retry there", "we do it as a habit"),
        ("do we use it", "we do it as a habit"),
        ("these tests are slow", "things of a kind"),
        ("no problem", "there is none"),
        ("can you always answer in german", "asks for a piece of work"),
        ("why are you using npm", "an open question"),
        ("we use TypeScript", "a symbol of the code"),
    ],
)
def test_what_only_looks_like_it_is_not(text: str, name: str) -> None:
    assert name not in shape(text)
