from __future__ import annotations

from typing import Any

import pytest
from tests.core.signals.told import edited, failed, learned, worked


@pytest.mark.row("C3")
@pytest.mark.parametrize(
    "payloads",
    [
        pytest.param(
            [failed("gh pr checks 3 --wait", "unknown flag: --wait"), worked("gh pr view 3 --json x")],
            id="unknown opt public",
        ),
        pytest.param([failed("brew test x", "Error: something"), worked("brew test y")], id="swiftlint path"),
        pytest.param([failed("npm test", "Connection reset by peer"), worked("npm test")], id="flaky"),
        pytest.param(
            [failed("git push", "fatal: The current branch x has no upstream branch."), worked("git push -u origin x")],
            id="no upstream",
        ),
        pytest.param(
            [
                failed("git commit -m x", "On branch main\nnothing to commit, working tree clean"),
                edited(),
                worked("git commit -m x"),
            ],
            id="nothing",
        ),
        pytest.param(
            [
                failed("cd web && git commit -m x", "(eval):cd:1: no such file or directory: web"),
                worked("git commit -m x"),
            ],
            id="cd fail commit",
        ),
        pytest.param(
            [
                failed("git commit -m x && npm test", "[main 1234567] x\n 1 file changed\nFAIL a.test.ts"),
                worked("make z"),
                worked("git commit -m y && npm test"),
            ],
            id="commit&&test",
        ),
        pytest.param(
            [
                failed("git add a", "fatal: Unable to create '/repo/.git/index.lock': File exists."),
                worked("rm -f .git/index.lock"),
                worked("git add a"),
            ],
            id="lock",
        ),
        pytest.param(
            [
                failed(
                    "go build ./...",
                    "main.go:4:2: no required module provides package x.test/y; to add it:\n\tgo get x.test/y",
                ),
                worked("go get x.test/y"),
                worked("go build ./..."),
            ],
            id="new dep",
        ),
        pytest.param(
            [
                failed("cargo fmt --check", "Diff in /repo/src/a.rs:1:"),
                worked("cargo fmt"),
                worked("cargo fmt --check"),
            ],
            id="fmt loop",
        ),
        pytest.param(
            [failed("sed -i 's/a/b/' x", 'sed: 1: "x": invalid command code x'), worked("sed -i '' 's/a/b/' x")],
            id="sed mac",
        ),
        pytest.param(
            [
                failed("npm start", "Error: listen EADDRINUSE: address already in use :::3000"),
                worked("PORT=3001 npm start"),
            ],
            id="port",
        ),
    ],
)
def test_what_everybodys_tools_do_everywhere_is_no_recipe(payloads: list[dict[str, Any]]) -> None:
    assert learned(*payloads) == []
