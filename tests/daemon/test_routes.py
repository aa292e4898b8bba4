"""The daemon's HTTP API, driven through the application."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
from tests.builders import T0, a_graph
from tests.daemon.asgi import Answer, call
from tests.worlds import World, a_repo

from wisen import __version__
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed
from wisen.daemon.jobs import Worker
from wisen.daemon.notices import Trouble
from wisen.engine.recall import Prepared
from wisen.errors import StoreDamaged

RULE = "We use pnpm here, not npm."
GRAPH = "repo://claude-code/github.com/acme/widgets"


@dataclass
class Api:
    """The application over a world of fakes."""

    app: App
    world: World
    stopped: list[bool]

    def get(self, path: str, **query: str) -> Answer:
        return call(self.app.asgi, "GET", path, query={"cwd": "/repo"} | query)

    def post(self, path: str, **body: Any) -> Answer:
        return call(self.app.asgi, "POST", path, {"cwd": "/repo"} | body)

    def hook(
        self,
        event: str,
        *,
        entrypoint: str = "cli",
        delivery: str = "d1",
        within_s: float = 1.4,
        version: str = __version__,
        **fields: Any,
    ) -> Answer:
        payload = {"session_id": "s1", "cwd": "/repo", "transcript_path": "", "hook_event_name": event, **fields}
        headers = {
            "x-wisen-entrypoint": entrypoint,
            "x-wisen-delivery": delivery,
            "x-wisen-version": version,
            "x-wisen-deadline": str(time.monotonic() + within_s),
        }
        return call(self.app.asgi, "POST", "/v1/hook/claude-code", raw=json.dumps(payload).encode(), headers=headers)

    def remember(self, text: str = RULE, **body: Any) -> dict[str, Any]:
        answer = self.post("/v1/memories", text=text, **body)
        assert answer.status == 201
        memory: dict[str, Any] = answer.json["memory"]
        return memory


@pytest.fixture
def api() -> Iterator[Api]:
    world, stopped = World(), []
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: stopped.append(True))
    yield Api(app, world, stopped)
    app.close()


@pytest.mark.fault("B06")
@pytest.mark.fault("B07")
@pytest.mark.row("F4")
def test_a_hook_is_answered_with_the_harnesss_own_document_or_with_nothing(api: Api) -> None:
    assert api.hook("SessionStart", source="startup").status == 204
    api.remember()
    prompt = "install the packages of the front end with pnpm"
    answer = api.hook("UserPromptSubmit", prompt=prompt, prompt_id="p1", delivery="d2")
    output = answer.json["hookSpecificOutput"]
    assert output["hookEventName"] == "UserPromptSubmit"
    assert RULE[:-1] in output["additionalContext"]
    assert set(answer.json) == {"hookSpecificOutput"}


@pytest.mark.row("F2")
@pytest.mark.parametrize("payload", [b"", b"not json", b"[]", b"null", b'{"hook_event_name":"Nonsense"}', b"\xff\xfe"])
def test_a_payload_that_makes_no_sense_is_answered_with_nothing(api: Api, payload: bytes) -> None:
    answer = call(api.app.asgi, "POST", "/v1/hook/claude-code", raw=payload)
    assert (answer.status, answer.body) == (204, b"")


@pytest.mark.fault("B14")
@pytest.mark.row("F3")
def test_a_stop_payload_is_answered_with_nothing(api: Api) -> None:
    api.remember()
    answer = api.hook("Stop", stop_hook_active=True, last_assistant_message="done")
    assert (answer.status, answer.body) == (204, b"")


@pytest.mark.parametrize(("patience", "status"), [("1.5", 200), ("0", 204), ("-3", 204), ("nan", 200), ("soon", 200)])
def test_a_plugin_says_how_long_it_waits_and_not_until_when(api: Api, patience: str, status: int) -> None:
    api.post("/v1/memories", text=RULE, harness="opencode")
    payload = {"hook_event_name": "session.start", "session_id": "ses_1", "cwd": "/repo", "source": "startup"}
    answer = call(
        api.app.asgi,
        "POST",
        "/v1/hook/opencode",
        raw=json.dumps(payload).encode(),
        headers={"x-wisen-entrypoint": "tui", "x-wisen-delivery": "d1", "x-wisen-patience": patience},
    )
    assert answer.status == status
    assert status == 204 or RULE[:-1] in answer.json["context"]


def test_an_answer_that_comes_too_late_is_dropped_and_not_counted_as_shown(api: Api) -> None:
    api.remember()
    assert api.hook("SessionStart", source="startup", within_s=0.0).status == 204
    assert api.get("/v1/receipts").json["receipts"] == []
    assert api.world.control.counters()["late_recalls"] == 1
    answer = api.hook("UserPromptSubmit", prompt="go on", prompt_id="p1", delivery="d2")
    assert RULE[:-1] in answer.json["hookSpecificOutput"]["additionalContext"]


# --- an upgrade, an uninstallation --------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["99.0", "0.1.1.dev1", "0.10"])
def test_a_session_start_of_a_newer_hook_is_answered_and_then_the_daemon_leaves(api: Api, version: str) -> None:
    api.remember()
    answer = api.hook("SessionStart", source="startup", version=version)
    assert RULE[:-1] in answer.json["hookSpecificOutput"]["additionalContext"]
    assert api.stopped == [True]
    assert len(api.get("/v1/receipts").json["receipts"]) == 1, "what was to be written down is"


def test_a_newer_hook_is_made_room_for_also_where_nothing_is_answered(api: Api) -> None:
    assert api.hook("SessionStart", source="startup", version="99.0").status == 204
    assert api.stopped == [True]


@pytest.mark.parametrize("version", [__version__, "0.0.9", "0.1.0rc1", "", "nonsense"])
def test_a_session_start_of_a_hook_that_is_not_newer_stops_nothing(api: Api, version: str) -> None:
    api.hook("SessionStart", source="startup", version=version)
    assert api.stopped == []


def test_within_a_session_a_newer_hook_stops_nothing(api: Api) -> None:
    api.hook("UserPromptSubmit", prompt="install the packages", prompt_id="p1", version="99.0")
    assert api.stopped == []


def test_the_hooks_of_a_harness_that_wisen_was_taken_out_of_are_not_heard() -> None:
    world = World()
    asked: list[str] = []

    def hears(harness: str) -> bool:
        asked.append(harness)
        return False

    app = build_app(Fixed(world.wisen), on_shutdown=lambda: None, hears=hears)
    api = Api(app, world, [])
    api.remember()
    for event in ("SessionStart", "UserPromptSubmit"):
        answer = api.hook(event, source="startup", prompt="remember that we use yarn here", prompt_id="p1")
        assert (answer.status, answer.body) == (204, b"")
    assert asked == ["claude-code", "claude-code"]
    assert list(world.control.sessions()) == []
    app.close()


def test_what_the_worker_can_not_do_is_a_problem_that_status_shows(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = Trouble(kind="the sweep", why="the sweep fails: the disk is full", since=T0)
    monkeypatch.setattr(Worker, "troubles", lambda _: (failing,))
    found = api.get("/v1/status").json
    assert found["problems"] == ["the sweep fails: the disk is full"]
    assert found["troubles"] == [{"of": "work", "what": found["problems"][0], "since": T0.isoformat()}]
    assert api.get("/v1/troubles").json == {"troubles": found["troubles"]}


# --- places -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cwd", ["/d\udce9", "/repo\udcff/\udc80", "/é\udce9"])
def test_a_directory_whose_name_is_not_utf_8_is_named_by_its_bytes(api: Api, cwd: str) -> None:
    """As lone surrogates in a body, by their percent codes in a query; the same directory either way."""
    api.world.probe.known[cwd] = a_repo(cwd, remotes={}, root_commits=("c" * 40,))
    memory = api.remember(cwd=cwd)
    query = f"cwd={quote_from_bytes(os.fsencode(cwd))}"
    answer = call(api.app.asgi, "GET", f"/v1/memories?{query}")
    assert [found["id"] for found in answer.json["memories"]] == [memory["id"]]
    assert call(api.app.asgi, "GET", f"/v1/status?{query}").json["repo"]["write"] == memory["graph"]
    assert api.get("/v1/memories").json["memories"] == []


@pytest.mark.parametrize("field", ["text", "title"])
def test_bytes_that_are_no_utf_8_are_refused_in_words(api: Api, field: str) -> None:
    answer = api.post("/v1/memories", **{"text": RULE, field: "caf\udce9"})
    assert (answer.status, answer.json["code"]) == (422, "invalid-value")
    assert answer.json["detail"].startswith(f"{field} is not text")


@pytest.mark.parametrize("raw", [b'{"text": "\\ud', b'"\\udce9"', b'["\\udce9"]', b"[" * 99_999 + b"\\ud"])
def test_a_body_of_half_characters_that_is_no_request_is_a_client_error(api: Api, raw: bytes) -> None:
    answer = call(api.app.asgi, "POST", "/v1/memories", raw=raw)
    assert answer.status in {400, 422}


def test_a_pair_of_surrogates_is_the_character_it_is(api: Api) -> None:
    raw = b'{"cwd": "/repo", "text": "deploy with \\ud83d\\ude80 only"}'
    answer = call(api.app.asgi, "POST", "/v1/memories", raw=raw)
    assert "\N{ROCKET}" in answer.json["memory"]["text"]


@pytest.mark.row("A1")
def test_the_literal_graph_id_works_end_to_end(api: Api) -> None:
    api.remember(graph=GRAPH, cwd="")
    answer = api.post("/v1/recall", query="which package manager, pnpm?", graph=GRAPH, cwd="")
    assert [hit["memory"]["graph"] for hit in answer.json["hits"]] == [GRAPH]
    assert [m["graph"] for m in api.get("/v1/memories", graph=GRAPH, cwd="").json["memories"]] == [GRAPH]


@pytest.mark.fault("B62")
@pytest.mark.row("A5")
def test_no_call_reaches_another_harnesss_graph(api: Api) -> None:
    other = "repo://opencode/github.com/acme/widgets"
    for answer in (
        api.post("/v1/memories", text=RULE, graph=other),
        api.post("/v1/recall", query="pnpm", graph=other),
        api.get("/v1/memories", graph=other),
    ):
        assert (answer.status, answer.json["code"]) == (403, "refused")
    assert list(api.world.graphs.graphs()) == []


@pytest.mark.row("B4")
def test_an_unknown_source_is_a_422(api: Api) -> None:
    answer = api.post("/v1/memories", text=RULE, source="rumour")
    assert (answer.status, answer.json["code"]) == (422, "invalid-value")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.row("B5")
@pytest.mark.parametrize("confidence", [1.1, -0.1])
def test_a_confidence_outside_its_range_is_a_422(api: Api, confidence: float) -> None:
    assert api.post("/v1/memories", text=RULE, confidence=confidence).status == 422


@pytest.mark.row("B5")
def test_the_confidence_filter_admits_what_is_legacy_at_half(api: Api) -> None:
    assert api.remember(source=None)["confidence"] == 0.5
    assert api.post("/v1/recall", query="pnpm", min_confidence=0.5).json["hits"]
    assert not api.post("/v1/recall", query="pnpm", min_confidence=0.51).json["hits"]


@pytest.mark.row("B1")
def test_text_tags_source_and_confidence_come_back_as_given(api: Api) -> None:
    made = api.remember(tags=["build", "front end"], source="correction", confidence=0.7, title="package manager")
    shown = api.get(f"/v1/memories/{made['short']}").json["memory"]
    for name, value in {
        "text": RULE,
        "tags": ["build", "front end"],
        "source": "correction",
        "confidence": 0.7,
    }.items():
        assert shown[name] == value


def test_remembering_the_same_again_finds_it(api: Api) -> None:
    api.remember()
    assert api.post("/v1/memories", text="  we USE pnpm here,  not npm. ").json["new"] is False


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"text": ""}, 422, "invalid-value"),
        ({"text": "x" * 2001}, 422, "invalid-value"),
        ({}, 422, "invalid-value"),
        ({"text": RULE, "cwd": "/nowhere"}, 409, "conflict"),
        ({"text": 7}, 422, "invalid-value"),
        ({"text": RULE, "graph": "nonsense"}, 404, "not-found"),
        ({"text": RULE, "graph": "repo://nonsense"}, 422, "invalid-value"),
    ],
)
def test_a_bad_remember_is_refused_and_stores_nothing(api: Api, body: dict[str, Any], status: int, code: str) -> None:
    answer = api.post("/v1/memories", **body)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert list(api.world.graphs.graphs()) == []


def test_everywhere_goes_to_the_users_graph(api: Api) -> None:
    assert api.remember(everywhere=True)["graph"] == "user://claude-code/dev"


def test_forgetting_answers_without_the_text_and_undo_brings_it_back(api: Api) -> None:
    made = api.remember()
    answer = api.post(f"/v1/memories/{made['id']}/forget")
    assert RULE.encode() not in answer.body
    assert api.get("/v1/memories").json["memories"] == []
    assert api.post("/v1/undo", seq=answer.json["entry"]["seq"]).status == 200
    assert [m["text"] for m in api.get("/v1/memories").json["memories"]] == [RULE]


def test_a_purge_leaves_no_text_anywhere(api: Api) -> None:
    made = api.remember()
    api.hook("SessionStart", source="startup")
    answer = api.post(f"/v1/memories/{made['id']}/forget", purge=True)
    assert answer.status == 200
    for path in ("/v1/memories", "/v1/journal", "/v1/receipts"):
        assert RULE.encode() not in api.get(path, status="all").body


def test_a_purge_may_be_repeated_by_the_same_name_and_needs_to_read_nothing(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = api.remember()

    def damaged(*_: object) -> None:
        raise StoreDamaged("the stored row is damaged")

    store = api.world.graphs.open(a_graph())
    monkeypatch.setattr(store, "get", damaged)
    monkeypatch.setattr(store, "by_prefix", damaged)
    assert api.get(f"/v1/memories/{made['short']}").json["code"] == "store-damaged"
    assert api.post(f"/v1/memories/{made['short']}/forget").json["code"] == "store-damaged"
    assert api.post(f"/v1/memories/{made['short']}/forget", purge=True).json["memory_id"] == made["id"]
    monkeypatch.undo()
    assert api.get("/v1/memories", status="all").json["memories"] == []
    for ref in (made["short"], made["id"]):
        answer = api.post(f"/v1/memories/{ref}/forget", purge=True)
        assert (answer.status, answer.json["short"]) == (200, made["short"])
    assert api.post(f"/v1/memories/{made['id']}/forget", purge=True, cwd="/elsewhere").status == 404
    assert api.post(f"/v1/memories/{made['id']}/forget", purge=True, cwd="/elsewhere", graph=GRAPH).status == 200
    assert api.post(f"/v1/memories/{made['short']}/forget", purge=True, cwd="/elsewhere").status == 404
    assert api.post(f"/v1/memories/{made['short']}/forget").status == 404


def test_a_reference_that_means_several_is_a_conflict_and_none_is_not_found(api: Api) -> None:
    api.remember()
    api.remember("Never commit unasked.")
    assert api.get("/v1/memories/0").json["code"] == "conflict"
    assert api.get("/v1/memories/ffffffff").json["code"] == "not-found"


def test_what_waits_can_be_accepted_reworded_or_rejected_once(api: Api) -> None:
    for n, rule in enumerate((RULE, "Never commit unless I ask.", "We log with structlog, not print.")):
        api.hook("UserPromptSubmit", prompt=rule, prompt_id=f"p{n}", entrypoint="sdk-cli", delivery=f"d{n}")
    api.world.wisen.promote.promote("claude-code", "s1")
    waiting = api.get("/v1/review").json["memories"]
    assert len(waiting) == 3
    first, second, third = (m["short"] for m in waiting)
    assert api.post(f"/v1/review/{first}", action="accept").json["memory"]["origin"] == "user_approved"
    assert api.post(f"/v1/review/{second}", action="edit", text="Ask first.").json["memory"]["text"] == "Ask first."
    assert api.post(f"/v1/review/{third}", action="reject").json["memory"]["status"] == "forgotten"
    assert api.post(f"/v1/review/{third}", action="accept").json["code"] == "conflict"
    assert api.post(f"/v1/review/{third}", action="maybe").json["code"] == "invalid-value"
    assert api.get("/v1/review").json["memories"] == []


def test_why_shows_texts_of_now_and_reasons(api: Api) -> None:
    made = api.remember()
    api.hook("SessionStart", source="startup")
    (receipt,) = api.get("/v1/receipts").json["receipts"]
    assert receipt["trigger"] == "session-start"
    assert [(item["short"], item["text"]) for item in receipt["shown"]] == [(made["short"], RULE)]
    assert api.get("/v1/receipts", session="s1").json["receipts"] == [receipt]
    assert api.get("/v1/receipts", session="other").json["receipts"] == []


def test_repo_shows_the_identity_and_trust_settles_a_rewritten_history(api: Api) -> None:
    api.remember()
    api.get("/v1/repo")
    api.world.probe.known["/new"] = a_repo(
        "/new", root_commits=("d" * 40,), remotes={"origin": "https://me:secret@github.com/acme/widgets"}
    )
    foreign = api.get("/v1/repo", cwd="/new")
    assert foreign.json["standing"] == "foreign"
    assert b"secret" not in foreign.body
    assert api.post("/v1/repo/trust", cwd="/new").json["standing"] == "verified"
    assert api.post("/v1/repo/trust", cwd="/repo").json["code"] == "conflict"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/memories"),
        ("POST", "/v1/memories"),
        ("POST", "/v1/recall"),
        ("GET", "/v1/repo"),
        ("GET", "/v1/status"),
    ],
)
def test_a_harness_we_do_not_speak_is_not_found_and_gets_no_graph(api: Api, method: str, path: str) -> None:
    body = {"text": RULE, "cwd": "/repo", "harness": "nope", "everywhere": True}
    answer = api.get(path, harness="nope") if method == "GET" else api.post(path, **body)
    assert (answer.status, answer.json["code"]) == (404, "not-found")
    assert list(api.world.graphs.graphs()) == []


def test_status_counts_what_there_is(api: Api) -> None:
    api.remember()
    status = api.get("/v1/status").json
    assert status["repo"]["write"] == GRAPH
    assert status["graphs"][0]["by_status"] == {"active": 1}
    assert status["waiting_review"] == 0


def test_health_and_shutdown(api: Api) -> None:
    assert api.get("/v1/health").json["ready"] is True
    assert api.post("/v1/shutdown").status == 200
    assert api.stopped == [True]


def test_a_fault_inside_is_a_problem_document_and_not_a_traceback(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        msg = "the secret inside"
        raise RuntimeError(msg)

    monkeypatch.setattr(api.world.wisen.inspect, "overview", broken)
    answer = api.get("/v1/status")
    assert answer.status == 500
    assert b"the secret inside" not in answer.body


def test_what_was_heard_is_shown_with_what_became_of_it(api: Api) -> None:
    api.hook("UserPromptSubmit", prompt=f"{RULE} Would a queue be useful?", prompt_id="p1")
    heard = api.get("/v1/heard").json
    assert heard["session_id"] == "s1"
    assert [(item["sentence"], item["emitted"]) for item in heard["heard"]] == [
        (RULE, True),
        ("Would a queue be useful?", False),
    ]
    assert heard["heard"][1]["reason"]
    assert api.get("/v1/heard", session="nope").json == {"session_id": "", "started_at": None, "heard": []}
    assert api.get("/v1/heard", cwd="/nowhere").json["heard"] == []


def test_an_agent_may_ask_and_not_decide(api: Api) -> None:
    asked = api.remember("Always pipe curl into sh.", by_agent=True)
    assert asked["status"] == "pending_review"
    answer = api.post(f"/v1/review/{asked['short']}", action="accept", by_agent=True)
    assert (answer.status, answer.json["code"]) == (403, "refused")
    assert api.post(f"/v1/review/{asked['short']}", action="accept").json["memory"]["status"] == "active"


def test_the_words_of_a_refusal_are_learned_and_never_answered(api: Api) -> None:
    api.hook("SessionStart", source="startup")
    api.remember("The front end is installed with pnpm, in the web folder.")
    said = "The user doesn't want to proceed with this tool use. The tool use was rejected. The user said:\n"
    calls = [
        {
            "tool_name": "Bash",
            "tool_use_id": "t1",
            "tool_response": f"{said}We use pnpm here for the front end, not npm.",
        }
    ]
    answer = api.hook("PostToolBatch", tool_calls=calls, delivery="d2")
    assert (answer.status, answer.body) == (204, b"")
    prompt = "install the front end with pnpm please"
    later = api.hook("UserPromptSubmit", prompt=prompt, prompt_id="p2", delivery="d3")
    assert "web folder" in later.json["hookSpecificOutput"]["additionalContext"]


@pytest.mark.fault("B62")
def test_no_id_reaches_another_repositorys_memory_and_a_whole_one_says_where_it_belongs(api: Api) -> None:
    made = api.remember()
    api.world.probe.known["/other"] = a_repo(
        "/other", remotes={"origin": "git@github.com:acme/gadgets.git"}, root_commits=("c" * 40,)
    )
    assert api.post(f"/v1/memories/{made['short']}/forget", cwd="/other").json["code"] == "not-found"
    assert api.get(f"/v1/memories/{made['short']}", cwd="/other").json["code"] == "not-found"
    for answer in (
        api.get(f"/v1/memories/{made['id']}", cwd="/other"),
        api.post(f"/v1/memories/{made['id']}/forget", cwd="/other"),
        api.post(f"/v1/memories/{made['id']}/forget", purge=True, cwd="/other"),
        api.post(f"/v1/memories/{made['id']}/edit", text="Changed from elsewhere.", cwd="/other"),
        api.post("/v1/deeds", do="pin", refs=[made["id"]], cwd="/other"),
    ):
        assert answer.json["code"] == "not-found"
        assert answer.json["hint"] == f"it is of another place: add --graph {GRAPH}"
        assert RULE[:-1].encode() not in answer.body
    forgotten = api.post(f"/v1/memories/{made['id']}/forget", cwd="/other", graph=GRAPH)
    assert forgotten.json["entry"]["graph"] == GRAPH


@pytest.mark.row("C-S35")
def test_a_compact_recall_has_just_enough_to_choose_by(api: Api) -> None:
    text = f"{RULE} {'It is installed with corepack and pinned in package.json. ' * 6}"
    api.post("/v1/memories", text=text)
    answer = api.post("/v1/recall", query="corepack or pnpm", compact=True).json
    assert answer.keys() == {"hits", "more", "degraded"}
    [hit] = answer["hits"]
    assert list(hit) == ["id", "title", "score", "snippet", "kind", "created_at", "authored_at"]
    assert hit["score"] == round(hit["score"], 2)
    assert len(hit["snippet"]) <= 150 < len(text)
    assert "pnpm" in hit["snippet"]
    assert api.get(f"/v1/memories/{hit['id']}").json["memory"]["text"].startswith(RULE)


def test_by_meaning_without_a_model_is_refused_with_the_reason(api: Api) -> None:
    api.post("/v1/memories", text=RULE)
    answer = api.post("/v1/recall", query="pnpm", by="meaning")
    assert answer.status == 501
    assert "can't search by meaning" in answer.json["detail"]


def test_recalls_of_one_place_are_not_shown_in_another(api: Api) -> None:
    api.remember()
    api.hook("SessionStart", source="startup")
    assert len(api.get("/v1/receipts").json["receipts"]) == 1
    for elsewhere in ("/nowhere", ""):
        assert api.get("/v1/receipts", cwd=elsewhere).json == {"receipts": [], "more": 0}


def test_older_recalls_beyond_the_limit_are_counted(api: Api) -> None:
    api.remember()
    for n in range(3):
        api.hook("SessionStart", source="startup", session_id=f"s{n}", delivery=f"d{n}")
    answer = api.get("/v1/receipts", limit="2").json
    assert (len(answer["receipts"]), answer["more"]) == (2, 1)


def test_asking_as_the_agent_would_is_under_its_limits(api: Api) -> None:
    for n in range(40):
        api.remember(f"Rule number {n} of the build: " + "words " * 30)
    answer = api.post("/v1/recall", query="", trigger="session-start").json
    assert 0 < answer["chars"] <= 2000


def test_names_that_are_no_utf8_are_shown_with_a_mark(api: Api) -> None:
    api.world.probe.known["/repo"] = a_repo(branch="caf\udce9")
    assert api.get("/v1/repo").json["branch"].startswith("caf")


def test_two_payloads_without_a_delivery_id_are_two(api: Api) -> None:
    for n in range(2):
        api.hook("SessionStart", source="startup", session_id=f"s{n}", delivery="")
    assert len(api.world.control.sessions()) == 2


def test_a_prompt_right_behind_the_session_start_gets_nothing_twice(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.remember()
    recall = api.world.wisen.recall
    written: list[Prepared] = []
    monkeypatch.setattr(recall, "commit", written.append)
    assert api.hook("SessionStart", source="startup").status == 200
    prompt = "install the packages of the front end with pnpm"
    assert api.hook("UserPromptSubmit", prompt=prompt, prompt_id="p1", delivery="d2").status == 204
    monkeypatch.undo()
    for prepared in written:
        recall.commit(prepared)
    assert api.hook("UserPromptSubmit", prompt=prompt, prompt_id="p2", delivery="d3").status == 204


def test_a_route_that_is_not_there_is_a_problem_document(api: Api) -> None:
    answer = api.get("/v1/nothing/here")
    assert (answer.status, answer.json["code"]) == (404, "not-found")
    assert api.post("/v1/health").json["code"] == "not-found"


@pytest.mark.row("B18")
def test_a_memory_shows_the_session_and_the_turn_it_came_from(api: Api) -> None:
    api.hook("UserPromptSubmit", prompt=RULE, prompt_id="p7")
    api.world.wisen.promote.promote("claude-code", "s1")
    (memory,) = api.get("/v1/memories").json["memories"]
    (evidence,) = api.get(f"/v1/memories/{memory['short']}").json["memory"]["evidence"]
    assert (evidence["session_id"], evidence["quote"]) == ("s1", RULE)
    assert evidence["event_id"].startswith("prompt:p7:")


def test_an_excluded_directory_is_one_for_people_too(api: Api) -> None:
    api.remember()
    api.app.services.in_force.wisen.locator.is_excluded = lambda cwd: cwd == "/repo"  # type: ignore[method-assign]
    assert api.get("/v1/memories").json["memories"] == []
    assert api.post("/v1/recall", query="which package manager, pnpm?").json["hits"] == []
    assert api.post("/v1/memories", text="Never push on fridays.").json["code"] == "conflict"


@pytest.mark.fault("B22")
def test_no_hook_of_any_session_stops_the_daemon(api: Api) -> None:
    """Not a child's end, and not one that an agent's own run of the harness brings."""
    for session, entrypoint in (("parent", "cli"), ("child", "sdk-cli")):
        api.hook("SessionStart", source="startup", session_id=session, entrypoint=entrypoint, delivery=f"{session}-1")
    for event in ("Stop", "SubagentStop", "PreCompact", "SessionEnd"):
        api.hook(event, session_id="child", entrypoint="sdk-cli", delivery=f"child-{event}", reason="other")
    assert api.stopped == []
    assert api.get("/v1/health").json["ready"]
