"""The endpoint: what is asked of it, and that nothing it says or fails to say is believed or waited for."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.chains import OPEN, WAIT_S, Turned
from tests.models.servers import Asked, embeds, says, serving, vectors
from tests.models.vectors import length, numbers

from wisen.errors import EmbeddingFailed
from wisen.models import endpoint
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.models.endpoint import EndpointEmbedder

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.timeout(60)]

SECRET = "sk-not-to-be-told"
ONE = [1.0] * 8


def embedder(url: str, *, timeout_s: float = 10.0, clock: Callable[[], float] = time.monotonic) -> EndpointEmbedder:
    """Return the endpoint at a base URL."""
    return EndpointEmbedder(url, model="m", key=SECRET, timeout_s=timeout_s, monotonic=clock)


def test_texts_are_sent_with_model_and_key_and_come_back_in_their_order() -> None:
    with serving(embeds()) as server:
        found = embedder(server.url).embed(["four", "a longer text"])
    asked = server.asked[-1]
    assert asked.line == "POST /v1/embeddings HTTP/1.1"
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.body == {"model": "m", "input": ["four", "a longer text"]}
    for one, size in zip(found, (4, 13), strict=True):
        assert numbers(one.vector) == pytest.approx([x / sqrt(size**2 + 7) for x in (size, *[1] * 7)], abs=1e-6)
        assert (one.tokens, one.pieces) == (b"", ())


def test_its_space_is_the_model_with_the_length_it_answers_with() -> None:
    with serving(embeds(300)) as server:
        space = embedder(server.url).space
    assert (space.model, space.digest, space.dimension) == ("m", "", 300)


def test_without_a_key_none_is_sent() -> None:
    with serving(embeds()) as server:
        EndpointEmbedder(server.url, model="m")
    assert "authorization" not in server.asked[0].headers


def test_many_texts_go_in_batches() -> None:
    texts = ["x" * (1 + at) for at in range(100)]
    with serving(embeds()) as server:
        found = embedder(server.url).embed(texts)
    assert [len(one.body["input"]) for one in server.asked] == [1, 32, 32, 32, 4]
    assert len(found) == len(texts)
    assert all(length(one.vector) == pytest.approx(1.0, abs=1e-5) for one in found)


def test_texts_that_servers_refuse_are_made_such_as_they_take() -> None:
    with serving(embeds()) as server:
        embedder(server.url).embed(["", " \n", "\ud800", "long " * 10_000])
    sent = server.asked[-1].body["input"]
    assert all(text.strip() for text in sent)
    assert sent[2].encode()
    assert len(sent[3]) == 2000


def test_no_texts_are_not_sent() -> None:
    with serving(embeds()) as server:
        assert list(embedder(server.url).embed([])) == []
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("/v1", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("", "/embeddings"),
        ("/v1/embeddings", "/v1/embeddings"),
        ("/openai/d?api-version=1", "/openai/d/embeddings?api-version=1"),
    ],
)
def test_the_address_is_the_base_with_embeddings(base: str, path: str) -> None:
    with serving(embeds()) as server:
        embedder(f"http://127.0.0.1:{server.port}{base}")
    assert server.asked[0].line == f"POST {path} HTTP/1.1"


@pytest.mark.parametrize(
    "url", ["", "localhost:1", "ftp://x/v1", "http://", "http://x:port/", "http://x:99999/", "http://[::1/v1"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(EmbeddingFailed, match="no http or https address"):
        embedder(url)


def test_a_password_in_an_address_is_not_told() -> None:
    with pytest.raises(EmbeddingFailed) as caught:
        embedder(f"ftp://user:{SECRET}@x/v1")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("key", [f"{SECRET}\r\nX-Other: 1", f"{SECRET}\n", f"ключ {SECRET}", f"{SECRET}\x00"])
def test_a_key_that_is_none_is_refused_and_not_told(key: str) -> None:
    with serving(embeds()) as server, pytest.raises(EmbeddingFailed) as caught:
        EndpointEmbedder(server.url, model="m", key=key)
    assert SECRET not in str(caught.value)
    assert server.asked == []


LIES: dict[str, object] = {
    "no json": b"<html>",
    "nothing": b"",
    "cut": b'{"data": [{"index": 0, "embedding": [1, 1',
    "not unicode": b"\xff\xfe",
    "too deep": b"[" * 200_000,
    "a list": [ONE],
    "a word": "data",
    "no data": {"error": {"message": "no such model"}},
    "data is no list": {"data": {"0": ONE}},
    "rows are no objects": {"data": [ONE]},
    "none": vectors(),
    "too many": vectors(ONE, ONE),
    "the same twice": {"data": [{"index": 0, "embedding": ONE}] * 2},
    "no index": {"data": [{"embedding": ONE}]},
    "another index": {"data": [{"index": 1, "embedding": ONE}]},
    "index is a word": {"data": [{"index": "0", "embedding": ONE}]},
    "index is true": {"data": [{"index": False, "embedding": ONE}]},
    "index has no end": b'{"data": [{"index": Infinity, "embedding": [1,1,1,1,1,1,1,1]}]}',
    "no vector": {"data": [{"index": 0}]},
    "base64": {"data": [{"index": 0, "embedding": "AACAPwAAgD8="}]},
    "words": vectors(["1"] * 8),
    "lists": vectors([[1.0]] * 8),
    "yes and no": vectors([True] * 8),
    "no numbers": b'{"data": [{"index": 0, "embedding": [NaN,1,1,1,1,1,1,1]}]}',
    "no end": b'{"data": [{"index": 0, "embedding": [1e999,1,1,1,1,1,1,1]}]}',
    "an integer beyond floats": b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b",1,1,1,1,1,1,1]}]}",
    "an integer beyond reason": b'{"data": [{"index": 0, "embedding": [1' + b"0" * 5000 + b",1,1,1,1,1,1,1]}]}",
    "zeros": vectors([0.0] * 8),
    "too short": vectors([1.0] * 7),
    "too long": vectors([1.0] * 8193),
    "empty": vectors([]),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_an_answer_that_is_no_vector_is_refused(lie: object) -> None:
    with serving(says(lie)) as server, pytest.raises(EmbeddingFailed, match="gives no embeddings"):
        embedder(server.url)


def test_vectors_of_two_lengths_are_refused() -> None:
    with serving(embeds()) as server:
        found = embedder(server.url)
        server.answer = says(vectors(ONE, [1.0] * 16))
        with pytest.raises(EmbeddingFailed, match="differ in length"):
            found.embed(["a", "b"])
        server.answer = embeds(16)
        with pytest.raises(EmbeddingFailed, match="another length than before"):
            found.embed(["a"])


def test_the_same_place_twice_is_refused() -> None:
    row = {"index": 0, "embedding": ONE}
    with serving(embeds()) as server:
        found = embedder(server.url)
        server.answer = says({"data": [row, row]})
        with pytest.raises(EmbeddingFailed):
            found.embed(["a", "b"])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["data", "index", "embedding"]), inner),
    max_leaves=12,
)


@given(json_values, st.integers(min_value=1, max_value=3))
def test_whatever_json_it_is_it_is_vectors_or_a_value_error(answer: object, wanted: int) -> None:
    try:
        found = endpoint._vectors(answer, wanted)
    except ValueError:
        return
    assert len(found) == wanted


@pytest.mark.parametrize("status", ["401 Unauthorized", "404 Not Found", "429 Too Many", "500 Broken", "204 Nothing"])
def test_a_status_that_is_not_ok_is_a_failure(status: str) -> None:
    with (
        serving(says(vectors(ONE), status=status)) as server,
        pytest.raises(EmbeddingFailed, match=f"answers {status[:3]}") as caught,
    ):
        embedder(server.url)
    assert SECRET not in str(caught.value)
    assert caught.value.hint


def test_a_redirect_is_not_followed() -> None:
    with serving(embeds()) as other:
        to = f"Location: http://127.0.0.1:{other.port}/v1/embeddings"
        for status in ("301 Moved", "307 Temporary", "308 Permanent"):
            with serving(says(b"", status=status, headers=[to])) as server, pytest.raises(EmbeddingFailed):
                embedder(server.url)
    assert other.asked == []


def test_an_answer_without_end_is_given_up() -> None:
    def endless(_: Asked, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not server.stop.is_set():
            connection.sendall(b" " * 65536)

    with serving(endless) as server, pytest.raises(EmbeddingFailed, match="is too long"):
        embedder(server.url, timeout_s=WAIT_S)


def _silent(_: Asked, connection: socket.socket) -> None:
    connection.recv(1)  # until the other end goes


def _trickling(head: bytes) -> Callable[[Asked, socket.socket], None]:
    def answer(_: Asked, connection: socket.socket) -> None:
        connection.sendall(head)
        while True:  # until the other end goes
            connection.sendall(b"x")
            time.sleep(0.02)

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        _silent,
        _trickling(b""),
        _trickling(b"HTTP/1.1 200 OK\r\n"),
        _trickling(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
        _trickling(b"HTTP/1.1 200 OK\r\n\r\n"),
        _trickling(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ],
    ids=["silent", "in the status", "in the headers", "in the body", "in a body without length", "in a chunk"],
)
def test_an_answer_that_trickles_is_given_up_at_the_deadline(
    answer: Callable[[Asked, socket.socket], None],
) -> None:
    """Each byte comes long before a timeout of the socket: only a deadline for all ends it."""
    with serving(answer) as server, pytest.raises(EmbeddingFailed):
        embedder(server.url, timeout_s=0.3)


def test_nobody_there_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(EmbeddingFailed, match=f"127.0.0.1:{port} gives no embeddings"):
        embedder(f"http://127.0.0.1:{port}")


def test_after_three_failures_it_is_left_alone_for_a_while() -> None:
    clock = Turned()
    with serving(embeds()) as server:
        found = embedder(server.url, clock=clock)
        server.answer = says(b"", status="500 Broken")
        for _ in range(5):
            with pytest.raises(EmbeddingFailed):
                found.embed(["words"])
        assert len(server.asked) == 1 + 3
        server.answer = embeds()
        with pytest.raises(EmbeddingFailed, match="left alone"):
            found.embed(["words"])
        clock.at += 60
        assert len(found.embed(["words"])) == 1


@pytest.mark.parametrize("lie", [b"[" * 200_000, vectors([10**400] * 8)], ids=["too deep", "too big"])
def test_no_answer_keeps_the_breaker_from_closing_again(lie: object) -> None:
    clock = Turned()
    with serving(embeds()) as server:
        found = embedder(server.url, clock=clock)
        server.answer = says(lie)
        for _ in range(4):
            with pytest.raises(EmbeddingFailed):
                found.embed(["words"])
            clock.at += 60
        server.answer = embeds()
        assert len(found.embed(["words"])) == 1


def test_in_the_chain_a_passing_failure_changes_no_space(caplog: pytest.LogCaptureFixture) -> None:
    clock = Turned()
    with serving(embeds()) as server, caplog.at_level(logging.CRITICAL):
        config = EmbeddingConfig(mode="endpoint", url=server.url, model="m")
        chain = EmbedderChain(config, monotonic=clock)
        OPEN.append(chain)
        assert chain.query("words", within=WAIT_S) is not None
        server.answer = says(b"", status="503 Busy")
        for number in range(2):
            assert chain.query(f"words {number}", within=WAIT_S) is None
            assert chain.is_loaded()
        assert chain.query("words 3", within=WAIT_S) is None
        assert not chain.is_loaded(), "the third failure in a row"
        asked = len(server.asked)
        assert chain.query("words 4", within=WAIT_S) is None
        assert len(server.asked) == asked, "it costs nothing any more"
        assert chain.state() == f"endpoint: http://127.0.0.1:{server.port} gives no embeddings: it answers 503"
        server.answer = embeds()
        clock.at += 300
        assert chain.query("words 5", within=WAIT_S) is not None
