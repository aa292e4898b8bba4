"""Embeddings of an endpoint that speaks OpenAI's `/v1/embeddings`, if the user has configured one.

Nothing is believed: as many vectors as texts, all of one length, of finite numbers, or the answer is refused.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from math import hypot, isfinite
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed
from wisen.models.breaker import Breaker
from wisen.ports import Embedding

_BATCH: Final = 32
_MOST_CHARS: Final = 2000  # some 500 word pieces of English: many servers refuse what is longer than their model reads
_NOTHING: Final = "(nothing)"  # for a text without words: OpenAI refuses an empty one
_MOST_BYTES: Final = 8 * 1024 * 1024  # 32 vectors of 8,192 numbers are 6 MB
_CHUNK: Final = 64 * 1024
_DIMENSIONS: Final = range(8, 8193)
_OK: Final = 200
_FAILURES, _REST_S = 3, 60.0
_HINT: Final = "`wisen config` shows embedding_url, embedding_model and embedding_key_file"

_Vector = tuple[float, ...]


class EndpointEmbedder:
    """An endpoint that has answered once. A dead one costs `timeout_s` three times, then nothing for a minute."""

    weight: Final = 1.0

    def __init__(
        self,
        url: str,
        *,
        model: str,
        key: str = "",
        timeout_s: float = 5.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask for one vector, to learn how long they are. Raises EmbeddingFailed."""
        if not (key.isascii() and key.isprintable()):
            raise EmbeddingFailed("embedding_key_file holds no key: it is not one line of ASCII", hint=_HINT)
        self._url = _address(url)
        self._model = model
        self._key = key
        self._timeout_s = timeout_s
        self._breaker = Breaker(failures=_FAILURES, rest_s=_REST_S, monotonic=monotonic)
        [vector] = self._asked(["dimension"])
        self.space: Final = Space(model=model, digest="", dimension=len(vector))

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return an embedding for each text, without token states; a text is cut after 2,000 characters."""
        found: list[Embedding] = []
        for start in range(0, len(texts), _BATCH):
            vectors = self._asked([_readable(text) for text in texts[start : start + _BATCH]])
            if len(vectors[0]) != self.space.dimension:
                raise EmbeddingFailed(f"{self._where} answers with vectors of another length than before", hint=_HINT)
            found += [Embedding(vector=struct.pack(f"<{len(vector)}f", *vector)) for vector in vectors]
        return found

    @property
    def _where(self) -> str:
        return f"{self._url.scheme}://{self._url.netloc.rpartition('@')[2]}"

    def _asked(self, texts: Sequence[str]) -> Sequence[_Vector]:
        if not self._breaker.allows():
            raise EmbeddingFailed(f"{self._where} has failed several times: it is left alone for a while", hint=_HINT)
        try:
            found = _vectors(self._answer(texts), len(texts))
        except (OSError, HTTPException, ValueError, RecursionError) as error:
            self._breaker.failed()
            raise EmbeddingFailed(
                f"{self._where} gives no embeddings: {str(error) or type(error).__name__}", hint=_HINT
            ) from error
        self._breaker.succeeded()
        return found

    def _answer(self, texts: Sequence[str]) -> object:
        """Return the answer's JSON. It is given up at the deadline, however slowly it trickles in."""
        body = json.dumps({"model": self._model, "input": list(texts)}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        with closing(kind(self._url.hostname or "", self._url.port, timeout=self._timeout_s)) as connection:
            until = time.monotonic() + self._timeout_s
            connection.connect()
            with _cut_off(connection.sock, until - time.monotonic()):
                connection.request("POST", _path(self._url), body=body, headers=headers)
                answer = connection.getresponse()
                if answer.status != _OK:  # a redirect too: the key would go where the user did not send it
                    raise HTTPException(f"it answers {answer.status}")
                read = bytearray()
                while chunk := answer.read1(_CHUNK):
                    read += chunk
                    if len(read) > _MOST_BYTES:
                        raise HTTPException("its answer is too long")
        return json.loads(read)


@contextmanager
def _cut_off(sock: socket.socket, after_s: float) -> Iterator[None]:
    """End the connection after so many seconds: a timeout of the socket begins anew with every byte.

    Raises TimeoutError instead of whatever comes of that.
    """
    is_late = threading.Event()

    def cut() -> None:
        is_late.set()
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)  # of a TLS socket too: its own would pull a rug away

    timer = threading.Timer(max(after_s, 0.0), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        if is_late.is_set():
            raise TimeoutError("its answer takes too long") from error
        raise
    finally:
        timer.cancel()
    if is_late.is_set():
        raise TimeoutError("its answer takes too long")


def _address(url: str) -> SplitResult:
    """Return the address of a base URL's embeddings. Raises EmbeddingFailed for what is none."""
    try:
        found = urlsplit(url)
        is_one = found.scheme in {"http", "https"} and bool(found.hostname) and found.port != 0
    except ValueError as error:  # a port that is no number, a bracket that is not closed
        raise _no_address(url) from error
    if not is_one:
        raise _no_address(url)
    path = found.path.rstrip("/")
    return found._replace(path=path if path.endswith("/embeddings") else f"{path}/embeddings")


def _no_address(url: str) -> EmbeddingFailed:
    return EmbeddingFailed(f"embedding_url is no http or https address: {url.rpartition('@')[2]!r}", hint=_HINT)


def _path(url: SplitResult) -> str:
    return f"{url.path}?{url.query}" if url.query else url.path


def _readable(text: str) -> str:
    cut = text[:_MOST_CHARS].encode("utf-8", "replace").decode()
    return cut if cut.strip() else _NOTHING


def _vectors(answer: Any, wanted: int) -> Sequence[_Vector]:
    """Return the vectors of an answer in the order of the texts, each of length 1. Raises ValueError."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("its answer holds no list of vectors")
    found = {row.get("index"): _unit(row.get("embedding")) for row in rows if type(row.get("index")) is int}
    if len(rows) != wanted or sorted(found) != list(range(wanted)):
        raise ValueError(f"it answers with {len(rows)} vectors for {wanted} texts, or numbers them otherwise")
    if len({len(vector) for vector in found.values()}) != 1:
        raise ValueError("its vectors differ in length")
    return [found[place] for place in range(wanted)]


def _unit(numbers: object) -> _Vector:
    """Return a vector of the same direction and length 1. Raises ValueError."""
    if not isinstance(numbers, list) or not all(type(number) in {int, float} for number in numbers):
        raise ValueError("it answers with something else than numbers")
    if len(numbers) not in _DIMENSIONS:
        raise ValueError(f"it answers with a vector of {len(numbers)} numbers")
    try:
        length = hypot(*numbers)
    except OverflowError:  # an integer beyond what a float holds
        length = 0.0
    if not isfinite(length) or length <= 0:
        raise ValueError("it answers with a vector of no length")
    return tuple(number / length for number in numbers)
