"""The real steps: which there are, and which is in use when a library or a file is missing, broken or another."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.models.chains import OPEN, WAIT_S
from tests.models.vectors import cosine

from wisen.models import places
from wisen.models.chain import MODES, EmbedderChain, EmbeddingConfig
from wisen.models.steps import foreseen, steps_of

pytestmark = pytest.mark.model

EVERYTHING = {"model_dir": Path("/m"), "cache": Path("/c"), "url": "http://localhost:1/v1"}


def real(**settings: object) -> EmbedderChain:
    """Return a chain of the real steps."""
    chain = EmbedderChain(EmbeddingConfig(**settings))  # type: ignore[arg-type]
    OPEN.append(chain)
    return chain


def in_use(chain: EmbedderChain) -> str:
    """Return the model in use, its step, and what is said of others."""
    embedder = chain.now(within=WAIT_S)
    return f"{embedder.space.model if embedder else None} | {chain.state()}"


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({}, ["packaged model", "hashing"]),
        (EVERYTHING, ["named model", "model cache", "packaged model", "endpoint", "hashing"]),
        ({**EVERYTHING, "mode": "packaged"}, ["packaged model"]),
        ({**EVERYTHING, "mode": "endpoint"}, ["endpoint"]),
        ({**EVERYTHING, "mode": "hashing"}, ["hashing"]),
        ({**EVERYTHING, "mode": "off"}, []),
        ({"mode": "endpoint"}, []),
    ],
)
def test_the_order_of_the_steps(settings: dict[str, object], names: list[str]) -> None:
    assert [step.name for step in steps_of(EmbeddingConfig(**settings))] == names  # type: ignore[arg-type]


def test_every_mode_is_one_the_settings_allow() -> None:
    assert set(MODES) == {"auto", "packaged", "endpoint", "hashing", "off"}


def test_the_packaged_model_is_foreseen_and_then_loaded() -> None:
    chain = real()
    before = chain.space()
    assert before is not None
    assert not chain.is_loaded()
    assert in_use(chain) == f"{places.PACKAGED_NAME} | "
    assert chain.space() == before
    found = [chain.query(text, within=WAIT_S) for text in ("How do tests start?", "Start the tests.", "Bake a cake.")]
    start, same, other = (one[1] for one in found if one is not None)
    assert cosine(start, same) > cosine(start, other)


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_without_a_library_feature_hashing_is_in_use(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    chain = real()
    assert chain.space() is None, "what can't be loaded is not foreseen"
    assert in_use(chain) == f"hashing | hashing (packaged model: {missing} is not installed)"


def test_without_numpy_words_alone_have_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    told = "packaged model: numpy is not installed; hashing: numpy is not installed"
    assert in_use(real()) == f"None | {told}"


def test_a_plain_install_has_none_of_them() -> None:
    """In a process of its own, where nothing was imported before."""
    program = (
        "import sys\n"
        "sys.modules |= dict.fromkeys(('numpy', 'onnxruntime', 'tokenizers'))\n"
        "from wisen.models.chain import EmbedderChain, EmbeddingConfig\n"
        "chain = EmbedderChain(EmbeddingConfig())\n"
        "print(chain.query('words', within=20), chain.space())\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "None None\n"


@pytest.mark.parametrize(
    ("content", "why"), [(b"", "is not the file"), (None, "can't be read")], ids=["changed", "gone"]
)
def test_packaged_weights_that_are_not_those_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, why: str
) -> None:
    file = tmp_path / "model.onnx"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr("importlib.metadata.files", lambda _: [SimpleNamespace(name=file.name, locate=lambda: file)])
    chain = real()
    assert chain.space() is None
    told = in_use(chain)
    assert told.startswith("hashing | hashing (packaged model: ")
    assert why in told


def test_a_tokenizer_that_was_changed_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "tokenizer.json"
    changed.write_bytes(places._TOKENIZER.read_bytes() + b"\n")
    monkeypatch.setattr(places, "_TOKENIZER", changed)
    assert "tokenizer.json is not the file" in in_use(real(mode="packaged"))


def test_a_directory_that_is_named_comes_first(tmp_path: Path) -> None:
    _linked(tmp_path)
    chain = real(model_dir=tmp_path)
    assert chain.space() is None, "its length is known when it is loaded"
    assert in_use(chain) == f"{tmp_path.name} | "


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_directory_without_a_file_is_said_and_passed_over(tmp_path: Path, missing: str) -> None:
    _linked(tmp_path)
    (tmp_path / missing).unlink()
    told = f"packaged model (named model: {tmp_path} has no {missing})"
    assert in_use(real(model_dir=tmp_path)) == f"{places.PACKAGED_NAME} | {told}"


def test_a_directory_with_a_broken_file_is_said_and_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _linked(tmp_path)
    (tmp_path / "model.onnx").unlink()
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with caplog.at_level(logging.CRITICAL):
        told = in_use(real(model_dir=tmp_path))
    assert told.startswith(f"{places.PACKAGED_NAME} | packaged model (named model: {tmp_path}/model.onnx or ")


def test_the_users_cache_comes_before_the_packaged_model(tmp_path: Path) -> None:
    snapshot = tmp_path / places._CACHED / "snapshots" / "abc"
    _linked(snapshot, weights="onnx/model.onnx")
    chain = real(cache=tmp_path)
    assert chain.space() is None
    assert in_use(chain) == "all-MiniLM-L6-v2 | "


def test_a_cache_without_it_is_not_missed(tmp_path: Path) -> None:
    chain = real(cache=tmp_path / "none")
    assert chain.space() is not None
    assert in_use(chain) == f"{places.PACKAGED_NAME} | "


def test_only_the_packaged_model_is_foreseen(tmp_path: Path) -> None:
    for settings in ({"mode": "hashing"}, {"mode": "off"}, {"mode": "endpoint"}, {"model_dir": tmp_path}):
        assert foreseen(EmbeddingConfig(**settings)) is None
    found = foreseen(EmbeddingConfig(mode="packaged", model_dir=tmp_path))
    assert found is not None
    assert found.model == places.PACKAGED_NAME


def _linked(where: Path, *, weights: str = "model.onnx") -> None:
    """Put links to the packaged files there."""
    found = places.packaged()
    (where / weights).parent.mkdir(parents=True, exist_ok=True)
    (where / weights).symlink_to(found.model)
    (where / "tokenizer.json").symlink_to(found.tokenizer)
