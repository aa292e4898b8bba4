"""A sentence encoder in ONNX form with its tokenizer, run on the processor in this process.

Mean of the last states over the real tokens, of length 1: what sentence-transformers does with all-MiniLM-L6-v2
(N. Reimers, I. Gurevych, Sentence-BERT, 2019). Of the packaged model only the weights are in 8 bits, not what runs
through it, so a text has the same vector beside any others (measured: bit for bit). A model that quantises that as well
differs a little from batch to batch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed
from wisen.models.memory import give_back
from wisen.ports import Embedding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_TOKENS: Final = 256  # with the two around them; what the model was trained for
# Padding included: one text of full length, or several short ones. Measured on two cores: sixteen long texts at once
# take three times as long as one after the other, and 350 MB more.
_BATCH_TOKENS: Final = MOST_TOKENS
_MOST_CHARS: Final = 32_768  # 256 word pieces of the longest kind are fewer; reading on would cost time for nothing
_THREADS: Final = 2
_NO_TELEMETRY: Final = "ORT_DISABLE_TELEMETRY"
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_RANK: Final = 3  # (texts, tokens, dimensions)


class OnnxEmbedder:
    """A loaded encoder. Safe for several threads; it keeps no thread spinning between two calls."""

    weight: Final = 1.0

    def __init__(self, model: Path, tokenizer: Path, *, name: str, digest: str) -> None:
        """Load both files. Raises ImportError where a library is missing, EmbeddingFailed for files that are no model.

        `digest` is that of both files.
        """
        os.environ[_NO_TELEMETRY] = "1"  # the versions we ask for have none; whoever has a newer one keeps it quiet too
        import numpy as np  # noqa: PLC0415 - all three are loaded on first use
        import onnxruntime  # noqa: PLC0415
        import tokenizers  # noqa: PLC0415

        self._numpy = np
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
            self._tokenizer.enable_truncation(MOST_TOKENS)
            self._tokenizer.no_padding()
            self._session = onnxruntime.InferenceSession(
                str(model), _options(onnxruntime), providers=["CPUExecutionProvider"]
            )
            self._inputs = _checked_inputs(self._session, model)
            states = self._states(*self._inputs_of([self._tokenizer.encode("a").ids]))
            self.space: Final = Space(model=name, digest=digest, dimension=int(states.shape[-1]))
        except (EmbeddingFailed, ImportError):
            raise
        except Exception as error:  # the libraries raise whatever they meet in a broken file
            raise EmbeddingFailed(f"{model} or {tokenizer.name} beside it can't be loaded: {error}") from error

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return an embedding for each text, with its token states; a text is cut after 256 word pieces."""
        try:
            encoded = self._tokenizer.encode_batch([_readable(text) for text in texts])
            found: dict[int, Embedding] = {}
            for places in _batches([len(one.ids) for one in encoded]):
                ids, mask = self._inputs_of([encoded[at].ids for at in places])
                states = self._states(ids, mask)
                for row, at in enumerate(places):
                    found[at] = self._embedding(states[row], mask[row], encoded[at].tokens)
        except EmbeddingFailed:
            raise
        except Exception as error:  # as above
            raise EmbeddingFailed(f"the model failed: {error}") from error
        if len(texts) > 1:
            give_back()  # a batch leaves up to 100 MB behind
        return [found[at] for at in range(len(texts))]

    def _inputs_of(self, pieces: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the word pieces, a text a row, padded with zeros, and which of them are real."""
        np = self._numpy
        ids = np.zeros((len(pieces), max(map(len, pieces))), np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(pieces):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        return ids, mask

    def _states(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the last states: (texts, tokens, dimensions). Raises EmbeddingFailed for what is none."""
        given: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            given["token_type_ids"] = self._numpy.zeros_like(ids)
        states: NDArray[np.float32] = self._session.run(None, given)[0]
        if states.ndim != _RANK or states.shape[:2] != ids.shape:
            raise EmbeddingFailed("the model's first output is not its last states")
        if not self._numpy.isfinite(states).all():
            raise EmbeddingFailed("the model's last states are no numbers")
        return states

    def _embedding(self, states: NDArray[np.float32], mask: NDArray[np.int64], pieces: Sequence[str]) -> Embedding:
        np = self._numpy
        real = int(mask.sum())
        vector = states[:real].mean(axis=0)
        inner = states[1 : real - 1]  # without [CLS] and [SEP]
        lengths = np.linalg.norm(inner, axis=1, keepdims=True)
        return Embedding(
            vector=(vector / max(float(np.linalg.norm(vector)), 1e-9)).astype("<f4").tobytes(),
            tokens=(inner / np.maximum(lengths, 1e-9)).astype("<f4").tobytes(),
            pieces=tuple(pieces[1 : real - 1]),
        )


def _readable(text: str) -> str:
    """Return what of a text the tokenizer is given: no more than the model reads, and no half of a character."""
    return text[:_MOST_CHARS].replace("\x00", " ").encode("utf-8", "replace").decode()


def _batches(lengths: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the places of texts of so many tokens, in batches of texts of like length."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[at] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _checked_inputs(session: Any, model: Path) -> frozenset[str]:
    found = frozenset(one.name for one in session.get_inputs())
    if not {"input_ids", "attention_mask"} <= found <= _INPUTS:
        raise EmbeddingFailed(f"{model} is no sentence encoder: its inputs are {', '.join(sorted(found))}")
    return found


def _options(onnxruntime: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_THREADS, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # it would keep what the longest batch has needed
    for name in ("session.intra_op.allow_spinning", "session.inter_op.allow_spinning"):
        with suppress(RuntimeError):
            options.add_session_config_entry(name, "0")
    return options
