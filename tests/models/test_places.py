"""Where a model is looked for: only whole files that are there already, and of the packaged one only those we know."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from wisen.errors import EmbeddingFailed
from wisen.models import places

MAIN, OTHER = "a" * 40, "f" * 40


def _files(where: Path, *names: str) -> None:
    for name in names:
        file = where / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(name.encode())


def _packaged_as(file: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [] if file is None else [SimpleNamespace(name=file.name, locate=lambda: file)]
    monkeypatch.setattr("importlib.metadata.files", lambda _: listed)


@pytest.mark.model
def test_the_packaged_files_are_those_that_were_published() -> None:
    found = places.packaged()
    assert hashlib.sha256(found.model.read_bytes()).hexdigest() == places._WEIGHTS_SHA256
    assert hashlib.sha256(found.tokenizer.read_bytes()).hexdigest() == places._TOKENIZER_SHA256


def test_the_tokenizer_comes_with_its_licence_and_says_where_it_is_from() -> None:
    data = Path(places.__file__).with_name("data")
    assert "Apache License" in (data / "LICENSE").read_text(encoding="utf-8")
    assert places._TOKENIZER_SHA256 in (data / "NOTICE").read_text(encoding="utf-8")


def test_a_packaged_file_that_was_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _files(tmp_path, "model.onnx")
    _packaged_as(tmp_path / "model.onnx", monkeypatch)
    with pytest.raises(EmbeddingFailed, match=r"model\.onnx is not the file"):
        places.packaged()


def test_a_package_that_has_lost_its_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _packaged_as(tmp_path / "model.onnx", monkeypatch)
    with pytest.raises(EmbeddingFailed, match="can't be read"):
        places.packaged()
    _packaged_as(None, monkeypatch)
    with pytest.raises(EmbeddingFailed, match=r"has no model\.onnx"):
        places.packaged()


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "PACKAGE", "not-installed-here")
    with pytest.raises(EmbeddingFailed, match="not-installed-here is not installed"):
        places.packaged()


def test_a_file_is_read_once_while_it_stays_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(opened: IO[bytes], name: str) -> object:
        read.append(name)
        return hashlib.new(name, opened.read())

    monkeypatch.setattr("wisen.models.places.file_digest", counted)
    _files(tmp_path, "model.onnx", "tokenizer.json")
    first = places.in_directory(tmp_path)
    assert places.in_directory(tmp_path) == first
    assert len(read) == 2
    (tmp_path / "model.onnx").write_bytes(b"other.onnx")  # of the same length
    os.utime(tmp_path / "model.onnx", (1, 1))
    assert places.in_directory(tmp_path).digest != first.digest


@pytest.mark.parametrize("weights", ["model.onnx", "onnx/model.onnx"])
def test_a_directory_that_is_named_holds_weights_and_tokenizer(tmp_path: Path, weights: str) -> None:
    _files(tmp_path / "mine", weights, "tokenizer.json")
    found = places.in_directory(tmp_path / "mine")
    assert (found.model, found.tokenizer) == (tmp_path / "mine" / weights, tmp_path / "mine" / "tokenizer.json")
    assert found.name == "mine"


@pytest.mark.parametrize(
    ("there", "missing"), [("model.onnx", "tokenizer.json"), ("tokenizer.json", "model.onnx"), (None, "model.onnx")]
)
def test_a_directory_without_one_of_them_is_refused(tmp_path: Path, there: str | None, missing: str) -> None:
    if there:
        _files(tmp_path, there)
    with pytest.raises(EmbeddingFailed, match=f"has no {missing}"):
        places.in_directory(tmp_path)


def test_the_digest_tells_weights_and_tokenizer_apart(tmp_path: Path) -> None:
    for name, weights, tokenizer in (("one", b"a", b"b"), ("two", b"b", b"a"), ("three", b"a", b"b")):
        _files(tmp_path / name, "model.onnx", "tokenizer.json")
        (tmp_path / name / "model.onnx").write_bytes(weights)
        (tmp_path / name / "tokenizer.json").write_bytes(tokenizer)
    one, two, three = (places.in_directory(tmp_path / name).digest for name in ("one", "two", "three"))
    assert one == three != two


def test_a_model_of_the_hub_cache_is_found_by_its_links(tmp_path: Path) -> None:
    repo = tmp_path / places._CACHED
    _files(repo / "blobs", "w", "t")
    snapshot = repo / "snapshots" / MAIN
    (snapshot / "onnx").mkdir(parents=True)
    (snapshot / "onnx" / "model.onnx").symlink_to(repo / "blobs" / "w")
    (snapshot / "tokenizer.json").symlink_to(repo / "blobs" / "t")
    found = places.in_cache(tmp_path)
    assert found.model.read_bytes() == b"w"
    (repo / "blobs" / "w").rename(repo / "blobs" / "w.incomplete")
    assert places.cached(tmp_path) is None


def test_the_snapshot_of_the_branch_main_comes_first(tmp_path: Path) -> None:
    repo = tmp_path / places._CACHED
    for snapshot in (MAIN, OTHER):
        _files(repo / "snapshots" / snapshot, "onnx/model.onnx", "tokenizer.json")
    for main in (OTHER, MAIN):
        _files(repo, "refs/main")
        (repo / "refs" / "main").write_text(f"{main}\n", encoding="utf-8")
        found = places.cached(tmp_path)
        assert found is not None
        assert found[1].parent.name == main


@pytest.mark.parametrize(
    "there", [(), ("tokenizer.json",), ("onnx/model.onnx",), ("model.safetensors", "tokenizer.json")]
)
def test_a_cache_without_both_files_has_no_model(tmp_path: Path, there: tuple[str, ...]) -> None:
    _files(tmp_path / places._CACHED / "snapshots" / MAIN, *there)
    assert places.cached(tmp_path) is None
    with pytest.raises(EmbeddingFailed):
        places.in_cache(tmp_path)
