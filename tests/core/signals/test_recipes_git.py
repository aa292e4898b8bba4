"""What the refusals of git teach, told in our own small sessions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.signals.told import edited, failed, learned, worked

from wisen.core.types import Tier


@pytest.mark.parametrize(
    ("payloads", "tier", "error_class", "rule"),
    [
        pytest.param(
            [
                failed(
                    "git add a.go dist/app.js",
                    "The following paths are ignored by one of your .gitignore files:\ndist\nhint: Use -f",
                ),
                worked("git add a.go"),
            ],
            Tier.ADOPT,
            "gitignored-path",
            "`dist/app.js` is ignored by .gitignore: with it `git add` stages nothing.",
            id="ignored",
        ),
        pytest.param(
            [
                failed(
                    "git add cmd/tool/main.go",
                    "The following paths are ignored by one of your .gitignore files:\ncmd/tool",
                ),
                worked("git add -f cmd/tool/main.go"),
            ],
            Tier.ADOPT,
            "gitignored-path",
            ("`git add` is refused, the path is ignored by .gitignore: `git add -f cmd/tool/main.go` works."),
            id="ignored -f",
        ),
        pytest.param(
            [
                failed(
                    "git add -A && git commit -m 'x'",
                    "$ eslint .\n✖ 3 problems\nhusky - pre-commit script failed (code 1)",
                ),
                worked("npx prettier --write src"),
                worked("git add -A && git commit -m 'x'"),
            ],
            Tier.ADOPT,
            "commit-hook",
            "Run `npx prettier --write src` before `git commit`: its hook refuses it otherwise.",
            id="husky fmt",
        ),
        pytest.param(
            [
                failed("git commit -m x", "ruff......Failed\n- hook id: ruff\n- exit code: 1"),
                worked("ruff check --fix ."),
                worked("git commit -am x"),
            ],
            Tier.ADOPT,
            "commit-hook",
            "Run `ruff check --fix .` before `git commit`: its hook refuses it otherwise.",
            id="pre-commit",
        ),
        pytest.param(
            [
                failed("git commit -m x", "🥊 lefthook v1.6.0  hook: pre-commit\nsummary: (done in 2 seconds)"),
                edited(),
                worked("make lint"),
                worked("git commit -m x"),
            ],
            Tier.ADOPT,
            "commit-hook",
            "Run `make lint` before `git commit`: its hook refuses it otherwise.",
            id="lefthook",
        ),
        pytest.param(
            [
                failed(
                    "git push origin HEAD",
                    "> vitest run\nhusky - pre-push hook exited with code 1 (error)\nerror: failed to push some refs",
                ),
                worked("pnpm run db:reset"),
                worked("git push origin HEAD"),
            ],
            Tier.ADOPT,
            "commit-hook",
            "Run `pnpm run db:reset` before `git push`: its hook refuses it otherwise.",
            id="pre-push",
        ),
        pytest.param(
            [failed("git add x && git commit -qm x", ""), worked("make gen"), worked("git commit -qm x")],
            Tier.ADOPT,
            "commit-hook",
            "Run `make gen` before `git commit`: its hook refuses it otherwise.",
            id="silent hook",
        ),
        pytest.param(
            [
                failed(
                    "git commit -m 'Fix it'",
                    "⧗   input: Fix it\n✖   subject may not be empty [subject-empty]\n✖   found 2 problems, 0 warnings",
                ),
                worked("git commit -m 'fix: it'"),
            ],
            Tier.ADOPT,
            "commit-hook",
            "A hook checks the message of `git commit`: one that begins with `fix:` passes.",
            id="commitlint",
        ),
        pytest.param(
            [
                failed(
                    "git push origin main",
                    "remote: error: GH006: Protected branch update failed.\n ! [remote rejected] main -> main",
                ),
                worked("git push origin HEAD:fix-docs"),
            ],
            Tier.ADOPT,
            "protected-branch",
            "`git push origin main` is refused by the rules of the host: push another branch.",
            id="protected",
        ),
        pytest.param(
            [
                failed(
                    "gh pr merge 12 --merge",
                    "GraphQL: Merge commits are not allowed on this repository. (mergePullRequest)",
                ),
                worked("gh pr merge 12 --squash"),
            ],
            Tier.ADOPT,
            "protected-branch",
            "`gh pr merge --merge` is refused by the rules of the host: `gh pr merge --squash` works.",
            id="merge method",
        ),
    ],
)
def test_a_refusal_that_hangs_on_the_repository_is_a_recipe(
    payloads: list[dict[str, Any]], tier: Tier, error_class: str, rule: str
) -> None:
    signals = learned(*payloads)
    assert [(one.tier, one.trigger and one.trigger.error_class, one.rule) for one in signals] == [
        (tier, error_class, rule)
    ]


def test_a_path_that_the_session_added_by_force_is_not_told_to_be_left_out() -> None:
    refused = "The following paths are ignored by one of your .gitignore files:\ncmd/tool"
    by_force = [failed("git add cmd/tool/main.go", refused), worked("git add -f cmd/tool/main.go")]
    left_out = [failed("git add a.go cmd/tool/main.go", refused), worked("git add a.go")]
    assert len(learned(*left_out)) == 1
    assert ["-f" in signal.rule for signal in learned(*by_force, *left_out)] == [True]
