"""Embeddings of an endpoint that speaks OpenAI's `/v1/embeddings` and that the user has configured.

Nothing that it says is believed: it gives as many vectors as texts, of finite numbers, all of one length, or nothing.
"""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from math import isfinite, sqrt
from typing import Any, Final
from urllib.parse import urlsplit

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed
from wisen.models.breaker import Breaker
from wisen.ports import Embedding

_BATCH: Final = 32
_MOST_BYTES: Final = 64 * 1024 * 1024
_CHUNK: Final = 64 * 1024
_DIMENSIONS: Final = range(8, 8193)
_OK: Final = 200
_FAILURES, _REST_S = 3, 60.0
_HINT: Final = "`wisen config` shows embedding_url, embedding_model and embedding_key_file"


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
        found = urlsplit(url if url.rstrip("/").endswith("/embeddings") else f"{url.rstrip('/')}/embeddings")
        if found.scheme not in {"http", "https"} or not found.hostname:
            raise EmbeddingFailed(f"embedding_url is no http or https address: {url!r}", hint=_HINT)
        self._url = found
        self._model = model
        self._key = key
        self._timeout_s = timeout_s
        self._monotonic = monotonic
        self._breaker = Breaker(failures=_FAILURES, rest_s=_REST_S, monotonic=monotonic)
        [vector] = self._asked(["dimension"])
        self.space: Final = Space(model=model, digest="", dimension=len(vector))

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return an embedding for each text, without token states."""
        found: list[Embedding] = []
        for start in range(0, len(texts), _BATCH):
            vectors = self._asked(texts[start : start + _BATCH])
            if any(len(vector) != self.space.dimension for vector in vectors):
                raise EmbeddingFailed(f"{self._where} answers with vectors of another length than before", hint=_HINT)
            found += [Embedding(vector=vector.tobytes()) for vector in vectors]
        return found

    @property
    def _where(self) -> str:
        return f"{self._url.scheme}://{self._url.netloc.rpartition('@')[2]}"

    def _asked(self, texts: Sequence[str]) -> Sequence[array[float]]:
        if not self._breaker.allows():
            raise EmbeddingFailed(f"{self._where} has failed several times: it is left alone for a while", hint=_HINT)
        try:
            found = _vectors(self._answer(texts), len(texts))
        except (OSError, HTTPException, ValueError, KeyError, TypeError, IndexError) as error:
            self._breaker.failed()
            raise EmbeddingFailed(
                f"{self._where} gives no embeddings: {type(error).__name__}: {error}", hint=_HINT
            ) from error
        self._breaker.succeeded()
        return found

    def _answer(self, texts: Sequence[str]) -> Any:
        """Return the answer's JSON. It is given up at the deadline, however slowly it trickles in."""
        until = self._monotonic() + self._timeout_s
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=self._timeout_s)
        try:
            # a redirect is not followed: the key would go where the user did not send it
            body = json.dumps({"model": self._model, "input": list(texts), "encoding_format": "float"})
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            path = f"{self._url.path}?{self._url.query}" if self._url.query else self._url.path
            connection.request("POST", path, body=body.encode(), headers=headers)
            answer = connection.getresponse()
            if answer.status != _OK:
                raise HTTPException(f"it answers {answer.status}")
            read = bytearray()
            while chunk := answer.read1(_CHUNK):
                read += chunk
                if len(read) > _MOST_BYTES:
                    raise HTTPException("its answer is too long")
                if self._monotonic() > until:
                    raise TimeoutError("its answer takes too long")
            return json.loads(read)
        finally:
            connection.close()


def _vectors(answer: Any, wanted: int) -> Sequence[array[float]]:
    """Return the vectors of an answer in the order of the texts, each of length 1. Raises ValueError, TypeError."""
    rows = sorted(answer["data"], key=lambda row: int(row["index"]))
    if [int(row["index"]) for row in rows] != list(range(wanted)):
        raise ValueError(f"it answers with {len(rows)} vectors for {wanted} texts")
    found = [array("f", map(float, row["embedding"])) for row in rows]
    for vector in found:
        if len(vector) not in _DIMENSIONS or len(vector) != len(found[0]) or len(vector) % 8:
            raise ValueError(f"it answers with a vector of {len(vector)} numbers")
        length = sqrt(sum(value * value for value in vector))
        if not isfinite(length) or length <= 0:
            raise ValueError("it answers with a vector of no length")
        vector[:] = array("f", (value / length for value in vector))
    return found
