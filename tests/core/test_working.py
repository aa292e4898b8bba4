from __future__ import annotations

import pytest

from wisen.core.working import (
    MOST_IDS,
    TOPIC_WORDS,
    Due,
    WorkingState,
    asks_about_earlier,
    heard,
    is_other_topic,
    recalled,
    topic_of,
)

IMPORT = "the parquet importer reads columns of every branch"
LOGIN = "a login token expires while the user types a password"


def played(prompts: list[str], *, refresh_every: int = 10) -> tuple[list[Due | None], list[WorkingState]]:
    state, due, trace = WorkingState(), [], []
    for prompt in prompts:
        state, why = heard(state, prompt, refresh_every=refresh_every)
        if why is not None:
            state = recalled(state, prompt, shown=(f"m{state.turn}",))
        due.append(why)
        trace.append(state)
    return due, trace


@pytest.mark.row("D10")
def test_a_session_of_twenty_five_turns_recalls_at_those_that_are_due() -> None:
    prompts = [IMPORT] * 5 + [LOGIN] * 4 + ["why did we choose this login token, again?"] + [LOGIN] * 15
    due, _ = played(prompts)
    assert {turn: why for turn, why in enumerate(due, 1) if why} == {
        1: Due.FIRST,
        6: Due.TOPIC,
        10: Due.ASKED,
        11: Due.TOPIC,
        21: Due.REFRESH,
    }


@pytest.mark.row("E6")
def test_the_state_is_what_the_turns_have_made_of_it() -> None:
    _, trace = played([IMPORT, IMPORT, LOGIN])
    assert [(one.turn, one.last_recall_turn, one.shown) for one in trace] == [
        (1, 1, ("m1",)),
        (2, 1, ("m1",)),
        (3, 3, ("m1", "m3")),
    ]
    assert trace[1].topic == topic_of(IMPORT)
    assert trace[2].topic == topic_of(LOGIN)


@pytest.mark.row("D11")
@pytest.mark.parametrize(
    ("one", "other", "is_other"),
    [
        (IMPORT, "the importer reads columns of a branch twice", False),
        (IMPORT, LOGIN, True),
        ("数据库 的 备份 每天 凌晨", "数据库 备份 每天 几点", False),
        ("数据库 的 备份 每天 凌晨", "登录 令牌 过期 时间", True),
        ("", LOGIN, False),
        ("ok", "yes", False),
    ],
)
def test_another_topic_shares_too_few_words(one: str, other: str, is_other: bool) -> None:
    assert is_other_topic(topic_of(one), topic_of(other)) is is_other
    assert is_other_topic(topic_of(other), topic_of(one)) is is_other


def test_a_topic_is_its_most_frequent_words_and_no_more() -> None:
    long = " ".join(f"word{n}" for n in range(40)) + " importer importer"
    assert len(topic_of(long)) == TOPIC_WORDS
    assert "importer" in topic_of(long)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("what did we decide about retries?", True),
        ("do you remember the port?", True),
        ("Wie haben wir das beim letzten Mal gelöst?", True),
        ("¿recuerdas por qué usamos esto?", True),
        ("上次我们怎么做的", True),
        ("add a retry to the importer", False),
        ("rename the last column", False),
    ],
)
def test_who_asks_about_earlier_is_heard_in_several_languages(text: str, asks: bool) -> None:
    assert asks_about_earlier(text) is asks


def test_what_was_shown_is_kept_up_to_a_limit_the_latest_last() -> None:
    state = WorkingState()
    for n in range(MOST_IDS + 5):
        state = recalled(state, IMPORT, shown=(f"m{n}",))
    state = recalled(state, IMPORT, shown=("m50",))
    assert len(state.shown) == MOST_IDS
    assert state.shown[-1] == "m50"
    assert "m0" not in state.shown
