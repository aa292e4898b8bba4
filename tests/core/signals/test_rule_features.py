from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wisen.core.signals.rule_features import features_of, for_the_rules_file
from wisen.core.signals.sentences import sentences
from wisen.core.signals.setting import Setting


def features(text: str, setting: Setting | None = None) -> list[frozenset[str]]:
    return list(features_of(sentences(text), setting or Setting()))


def test_a_sentence_has_cues_ideas_and_a_shape() -> None:
    (found,) = features("we use pnpm here, not npm")
    assert {"cue: what we do", "cue: one tool, not the other", "we do it as a habit"} <= found


def test_what_is_not_the_users_speech_has_none() -> None:
    spoken, quoted = features("we use pnpm\n> never use npm")
    assert "cue: what we do" in spoken
    assert quoted == frozenset()


def test_a_sentence_knows_what_the_others_of_its_prompt_are_about() -> None:
    rule, fault = features("we use pnpm. The build fails with an error.")
    assert "elsewhere: something fails" in rule
    assert "elsewhere: something fails" not in fault


def test_a_prompt_is_read_in_one_language() -> None:
    (found,) = features("was macht der Test da")
    assert "asks or wonders" in found
    assert "what happened" not in found


def test_the_moment_counts_when_it_is_known() -> None:
    moment = Setting(said_before="Shall I go on?", is_mid_turn=True, is_refusal=True)
    (plain,), (known,) = features("use fakes"), features("use fakes", moment)
    assert known - plain == {"typed while the agent worked", "said when refusing a tool", "the agent had asked"}


def test_general_and_about_work_together_are_more_than_each() -> None:
    (general,) = features("commits never mention a person")
    (order,) = features("commit all of it")
    assert "how we work, and binding" in general
    assert not {name for name in order if name.startswith("how we work")}


def test_an_item_under_the_users_own_rules_is_not_held_against_it() -> None:
    _, item = features("Rules for this repo:\n- write small commits")
    assert "cue: in a list of rules" in item
    assert {"an item of a list", "begins with an order"}.isdisjoint(item)


def test_what_is_to_go_into_the_rules_file_is_read_without_the_order() -> None:
    assert for_the_rules_file("please add to CLAUDE.md: tabs only") == "tabs only"
    assert for_the_rules_file("CLAUDE.md is old") == ""


@given(st.text(alphabet=st.sampled_from("we use no ?.,:-\n>`#不要用を말'é"), max_size=120))
def test_any_prompt_has_features_and_the_same_twice(text: str) -> None:
    parts = sentences(text)
    assert features_of(parts, Setting()) == features_of(parts, Setting())
