"""The chain: which step is in use, what is said of the others, and that nobody waits longer than they said."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.models.chains import WAIT_S, Breaking, Held, Turned, a_chain, gives, refuses

from wisen.errors import EmbeddingFailed
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.models.fakes import FakeEmbedder
from wisen.models.steps import Step
from wisen.ports import Embedder

PUT_OUT_S = 300.0


@pytest.fixture
def clock() -> Turned:
    return Turned()


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.CRITICAL):
        yield


def settled(chain: EmbedderChain) -> None:
    """Wait for what is being loaded."""
    loading = chain._loading
    if loading is not None:
        loading.result(timeout=WAIT_S)


def test_the_first_step_that_has_a_model_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    best, other = FakeEmbedder(name="best"), FakeEmbedder(name="other")
    chain = a_chain(monkeypatch, gives(best), gives(other))
    assert chain.now(within=WAIT_S) is best
    assert chain.space() == best.space
    assert chain.state() == ""
    assert chain.described() == "best (64 dimensions) (best)"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (EmbeddingFailed("its file was changed"), "its file was changed"),
        (ModuleNotFoundError("No module named 'x'", name="x"), "x is not installed"),
        (MemoryError("too big"), "MemoryError: too big"),
    ],
)
def test_it_says_why_an_earlier_step_is_not_in_use(monkeypatch: pytest.MonkeyPatch, error: Exception, why: str) -> None:
    chain = a_chain(monkeypatch, refuses("best", error), gives(FakeEmbedder(name="other")))
    assert chain.now(within=WAIT_S) is not None
    assert chain.state() == f"other (best: {why})"


def test_a_step_that_nobody_expects_is_not_missed(monkeypatch: pytest.MonkeyPatch, clock: Turned) -> None:
    tried: list[float] = []

    def make() -> Embedder:
        tried.append(clock())
        raise EmbeddingFailed("is not there")

    cache = Step(name="cache", make=make, is_optional=True)
    chain = a_chain(monkeypatch, cache, gives(FakeEmbedder(name="other")), clock=clock)
    chain.now(within=WAIT_S)
    assert chain.state() == ""
    clock.at += PUT_OUT_S
    chain.now(within=WAIT_S)
    settled(chain)
    assert len(tried) == 1


def test_without_any_step_there_is_no_model_and_it_says_why(monkeypatch: pytest.MonkeyPatch, clock: Turned) -> None:
    tried: list[float] = []

    def make() -> Embedder:
        tried.append(clock())
        raise EmbeddingFailed("is gone")

    chain = a_chain(monkeypatch, Step(name="only", make=make), clock=clock)
    assert chain.now(within=WAIT_S) is None
    assert chain.query("words", within=WAIT_S) is None
    assert chain.state() == "only: is gone"
    assert chain.space() is None
    clock.at += PUT_OUT_S - 1
    assert chain.now(within=WAIT_S) is None
    assert len(tried) == 1, "it is not tried at every call"
    clock.at += 1
    chain.now(within=WAIT_S)
    assert len(tried) == 2


def test_who_does_not_wait_for_a_model_goes_without(monkeypatch: pytest.MonkeyPatch) -> None:
    fake, go = FakeEmbedder(), threading.Event()

    def make() -> Embedder:
        assert go.wait(WAIT_S)
        return fake

    chain = a_chain(monkeypatch, Step(name="slow", make=make))
    assert chain.now(within=0) is None
    assert chain.query("words", within=0.01) is None
    assert chain.state() == "the model is loading"
    assert chain.space() is None
    assert not chain.release_if_idle()
    go.set()
    assert chain.now(within=WAIT_S) is fake


def test_many_at_once_load_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[FakeEmbedder] = []

    def make() -> Embedder:
        made.append(FakeEmbedder())
        return made[-1]

    chain = a_chain(monkeypatch, Step(name="one", make=make))

    def asked(number: int) -> object:
        return chain.query(f"words {number % 5}", within=WAIT_S)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(asked, range(200)))
    assert len(made) == 1


def test_a_query_that_comes_too_late_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held()
    chain = a_chain(monkeypatch, gives(held))
    chain.now(within=WAIT_S)
    assert chain.query("words", within=0.01) is None
    held.go.set()
    while "words" not in chain._queries:
        time.sleep(0.01)
    assert chain.query("words", within=WAIT_S) is not None
    assert held.asked == ["words"]


def test_a_query_that_nobody_waits_for_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held()
    chain = a_chain(monkeypatch, gives(held))
    chain.now(within=WAIT_S)
    for number in range(20):
        assert chain.query(f"words {number}", within=0.01) is None
    held.go.set()
    assert chain.query("last", within=WAIT_S) is not None
    assert len(held.asked) <= 3, "two workers, and the last one"


def test_a_query_is_embedded_once_while_it_is_among_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeEmbedder()
    chain = a_chain(monkeypatch, gives(fake))
    first = chain.query("first", within=WAIT_S)
    assert chain.query("first", within=WAIT_S) == first
    assert fake.asked == ["first"]
    for number in range(64):
        chain.query(f"words {number}", within=WAIT_S)
    chain.query("first", within=WAIT_S)
    assert fake.asked.count("first") == 2


@pytest.mark.parametrize("error", [EmbeddingFailed("no vector"), RuntimeError("no vector"), MemoryError()])
def test_after_a_failure_the_next_step_is_in_use(
    monkeypatch: pytest.MonkeyPatch, clock: Turned, error: Exception
) -> None:
    breaking, other = Breaking(raises=error), FakeEmbedder(name="other")
    chain = a_chain(monkeypatch, gives(breaking), gives(other), clock=clock)
    assert chain.query("words", within=WAIT_S) is None
    assert chain.space() is None, "which one it will be is open"
    found = chain.query("words", within=WAIT_S)
    assert found is not None
    assert found[0] == other.space
    assert chain.state().startswith("other (breaking: ")


def test_a_better_step_is_taken_again_when_it_works_again(monkeypatch: pytest.MonkeyPatch, clock: Turned) -> None:
    breaking, other = Breaking(raises=EmbeddingFailed("no vector")), FakeEmbedder(name="other")
    chain = a_chain(monkeypatch, gives(breaking), gives(other), clock=clock)
    chain.query("words", within=WAIT_S)
    assert chain.now(within=WAIT_S) is other
    breaking.raises = None
    clock.at += PUT_OUT_S - 1
    assert chain.now(within=WAIT_S) is other
    clock.at += 1
    assert chain.now(within=WAIT_S) is other, "nobody waits for the better one"
    settled(chain)
    assert chain.now(within=WAIT_S) is breaking
    assert chain.state() == ""


def test_a_step_that_failed_to_load_is_tried_again(monkeypatch: pytest.MonkeyPatch, clock: Turned) -> None:
    best, there = FakeEmbedder(name="best"), threading.Event()

    def make() -> Embedder:
        if not there.is_set():
            raise EmbeddingFailed("does not answer")
        return best

    other = FakeEmbedder(name="other")
    chain = a_chain(monkeypatch, Step(name="best", make=make), gives(other), clock=clock)
    assert chain.now(within=WAIT_S) is other
    for is_there, expected in ((False, other), (True, best)):
        if is_there:
            there.set()
        clock.at += PUT_OUT_S
        chain.now(within=WAIT_S)
        settled(chain)
        assert chain.now(within=WAIT_S) is expected


def test_a_patient_step_is_given_up_after_as_many_failures_in_a_row(
    monkeypatch: pytest.MonkeyPatch, clock: Turned
) -> None:
    breaking, other = Breaking(), FakeEmbedder(name="other")
    chain = a_chain(monkeypatch, gives(breaking, patience=3), gives(other), clock=clock)

    def fail(times: int) -> None:
        breaking.raises = EmbeddingFailed("no vector")
        for at in range(times):
            assert chain.query(f"words {clock.at} {at}", within=WAIT_S) is None
        breaking.raises = None

    fail(2)
    assert chain.query("it worked", within=WAIT_S) is not None
    fail(2)
    clock.at += PUT_OUT_S
    fail(2)
    assert chain.now(within=WAIT_S) is breaking
    fail(1)
    assert chain.now(within=WAIT_S) is other


def test_the_failure_of_a_model_that_is_no_longer_in_use_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = a_chain(monkeypatch, gives(FakeEmbedder(name="one")))
    there = chain.now(within=WAIT_S)
    chain.failed(FakeEmbedder(name="another"), EmbeddingFailed("no vector"))
    assert chain.now(within=0) is there


def test_a_model_is_let_go_when_idle_and_loaded_again(monkeypatch: pytest.MonkeyPatch, clock: Turned) -> None:
    made: list[FakeEmbedder] = []

    def make() -> Embedder:
        made.append(FakeEmbedder())
        return made[-1]

    chain = a_chain(monkeypatch, Step(name="one", make=make), clock=clock, idle_s=60)
    chain.query("words", within=WAIT_S)
    clock.at += 59
    chain.query("words", within=WAIT_S)
    clock.at += 59
    assert not chain.release_if_idle()
    assert chain.is_loaded()
    clock.at += 1
    assert chain.release_if_idle()
    assert not chain.is_loaded()
    assert not chain.release_if_idle()
    assert chain.space() == made[0].space, "what its vectors are is known without it"
    assert chain.query("words", within=WAIT_S) is not None
    assert len(made) == 2


def test_an_idle_model_goes_by_itself(monkeypatch: pytest.MonkeyPatch, clock: Turned) -> None:
    chain = a_chain(monkeypatch, gives(FakeEmbedder()), clock=clock, idle_s=0.05)
    chain.now(within=WAIT_S)
    clock.at += 1
    timer = chain._timer
    assert timer is not None
    timer.join(WAIT_S)
    assert not chain.is_loaded()


def test_a_closed_chain_has_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = a_chain(monkeypatch, gives(FakeEmbedder()))
    chain.now(within=WAIT_S)
    chain.close()
    assert not chain.is_loaded()
    assert chain.now(within=WAIT_S) is None
    assert chain.query("words", within=WAIT_S) is None
    chain.close()


def test_what_is_loaded_when_the_chain_closes_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()

    def make() -> Embedder:
        assert go.wait(WAIT_S)
        return FakeEmbedder()

    chain = a_chain(monkeypatch, Step(name="slow", make=make))
    assert chain.now(within=0) is None
    loading = chain._loading
    assert loading is not None
    chain.close()
    go.set()
    assert loading.result(WAIT_S) is None
    assert not chain.is_loaded()


def test_who_waits_when_the_chain_closes_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held()
    chain = a_chain(monkeypatch, gives(held))
    chain.now(within=WAIT_S)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(chain.query, f"words {number}", within=WAIT_S) for number in range(4)]
        while len(held.asked) < 2:
            time.sleep(0.01)
        chain.close()
        held.go.set()
        found = [one.result(WAIT_S) for one in waiting]
    assert sum(one is None for one in found) >= 2, "two were begun, the others are not"


def test_off_means_words_alone() -> None:
    chain = EmbedderChain(EmbeddingConfig(mode="off"))
    assert chain.now(within=WAIT_S) is None
    assert chain.query("words", within=WAIT_S) is None
    assert chain.space() is None
    assert chain.state() == "switched off"
    assert chain._pool is None, "not even a thread"


def test_importing_it_loads_no_library_of_models() -> None:
    program = (
        "import sys, wisen.models.chain, wisen.models.fakes;"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'http.client', 'ssl'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
