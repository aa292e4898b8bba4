from __future__ import annotations

import pytest

from wisen.errors import NotFound
from wisen.install import claude_code, opencode
from wisen.install.registry import HARNESSES, installer


def test_a_harness_is_known_by_its_name() -> None:
    assert installer("claude-code") is claude_code
    assert installer("opencode") is opencode
    assert list(HARNESSES) == [claude_code.HARNESS, opencode.HARNESS]


def test_an_unknown_harness_is_answered_with_those_there_are() -> None:
    with pytest.raises(NotFound) as caught:
        installer("emacs")
    assert "claude-code" in caught.value.hint
