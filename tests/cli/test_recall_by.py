"""What a person sees of a search by words and by meaning, over the daemon's real routes and a fake model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.builders import CountingIds
from tests.cli.routes import Routes
from tests.cli.stage import FakeDaemon, Ran, Wisen
from tests.retrieval.meaning import SYNONYMS, embed
from tests.worlds import World, a_repo
from wisen.cli.app import Daemon
from wisen.compose import Models, Parts, compose
from wisen.config import Paths, Settings, paths
from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.models.fakes import FakeEmbedder, FakeEmbedders
from wisen.redact import FloorRedactor

Ask = Callable[..., Ran]


@pytest.fixture
def model() -> FakeEmbedders:
    return FakeEmbedders(FakeEmbedder(SYNONYMS), state="")


@pytest.fixture
def world(model: FakeEmbedders, tmp_path: Path) -> World:
    world = World()
    world.probe.known[str(tmp_path)] = a_repo(str(tmp_path))
    parts = Parts(
        control=world.control,
        graphs=world.graphs,
        probe=world.probe,
        redactor=FloorRedactor(),
        clock=world.clock,
        ids=CountingIds(),
        models=Models(model),
    )
    home = paths({"HOME": "/nowhere", "WISEN_HOME": "/nowhere/wisen"})
    world.wisen = compose(home, Settings(user_id="dev"), env={"USER": "dev"}, parts=parts)
    return world


@pytest.fixture
def here(world: World, wisen: Wisen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: None)
    routes = Routes(app)

    def connect(self: FakeDaemon, paths: Paths, *, start: bool) -> Daemon:
        return routes

    monkeypatch.setattr(FakeDaemon, "connect", connect)
    monkeypatch.chdir(tmp_path)
    yield wisen
    app.close()


def found(ran: Ran) -> list[str]:
    assert ran.code == 0, ran.err
    return [hit["memory"]["text"] for hit in json.loads(ran.out)["hits"]]


@pytest.mark.row("C-S27")
def test_each_leg_can_be_asked_alone(here: Ask, world: World, model: FakeEmbedders) -> None:
    for text in ("The automobile is quick.", "Invoices are kept for years in the cellar, beside the automobile."):
        assert here("remember", text).code == 0
    embed(world.graphs, model)
    assert found(here("recall", "--by", "meaning", "speedy vehicle", "--json"))[0] == "The automobile is quick."
    assert found(here("recall", "--by", "words", "speedy vehicle", "--json")) == []
    assert "\nBy meaning alone: fake" in here("recall", "--by", "meaning", "speedy vehicle", "--explain").out
    assert "\nBy words and by meaning: fake" in here("recall", "quick automobile", "--explain").out
    assert "\nBy words alone, as you asked.\n" in here("recall", "--by", "words", "automobile", "--explain").out


def test_without_a_model_words_have_to_do_and_meaning_is_refused(here: Ask, model: FakeEmbedders) -> None:
    assert here("remember", "The automobile is quick.").code == 0
    model.embedder, model._state = None, "switched off"
    assert here("recall", "--by", "meaning", "speedy vehicle").code == 11
    assert "\nBy words alone: switched off.\n" in here("recall", "automobile", "--explain").out
    assert "\nBy words alone: switched off.\n" in here("recall", "vehicle", "--explain").out, "also of no hits"


@pytest.mark.parametrize("form", [(), ("--compact",)])
def test_a_limit_leaves_the_best_and_counts_the_others(here: Ask, form: tuple[str, ...]) -> None:
    for n in range(12):
        assert here("remember", f"Service {n} of the billing group is named {'abcdefghijkl'[n] * 5}.").code == 0
    whole = json.loads(here("recall", "billing", *form, "--json").out)
    assert (len(whole["hits"]), whole["more"]) == (12, 0)
    cut = json.loads(here("recall", "billing", *form, "--json", "--limit", "5").out)
    assert (cut["hits"], cut["more"]) == (whole["hits"][:5], 7)


@pytest.mark.row("L1")
def test_what_is_less_sure_than_asked_for_is_withheld_and_said(here: Ask) -> None:
    short = json.loads(here("remember", "The automobile is quick.", "--json").out)["memory"]["short"]
    sure = json.loads(here("show", short, "--json").out)["memory"]["confidence"]
    assert found(here("recall", "automobile", "--min-confidence", str(sure), "--json"))
    above = str(sure + 0.01)
    assert found(here("recall", "automobile", "--min-confidence", above, "--json")) == []
    said = here("recall", "automobile", "--min-confidence", above, "--explain").out
    assert "confidence" in said.partition(f"Left out\n  {short}")[2].splitlines()[0]
