"""What a command teaches that the shell or the program did not take, told in our own small sessions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.signals.told import failed, learned, worked

from wisen.core.types import Tier


@pytest.mark.parametrize(
    ("payloads", "tier", "error_class", "rule"),
    [
        pytest.param(
            [
                failed("grep -rn x --include=*.ts src", "(eval):1: no matches found: --include=*.ts"),
                worked("grep -rn x --include='*.ts' src"),
            ],
            Tier.ADOPT,
            "shell-glob",
            (
                "Quote `--include=*.ts` in `grep` (`'--include=*.ts'`): this shell stops when a bare "
                "pattern matches no file."
            ),
            id="zsh glob",
        ),
        pytest.param(
            [failed("pip install -e .[dev]", "zsh: no matches found: .[dev]"), worked("pip install -e '.[dev]'")],
            Tier.ADOPT,
            "shell-glob",
            ("Quote `.[dev]` in `pip install` (`'.[dev]'`): this shell stops when a bare pattern matches no file."),
            id="pip extras",
        ),
        pytest.param(
            [
                failed("http get https://x.test/a?b=1", "zsh:1: no matches found: https://x.test/a?b=1"),
                worked("http get 'https://x.test/a?b=1'"),
            ],
            Tier.ADOPT,
            "shell-glob",
            (
                "Quote `https://x.test/a?b=1` in `http get` (`'https://x.test/a?b=1'`): this shell stops "
                "when a bare pattern matches no file."
            ),
            id="url glob",
        ),
        pytest.param(
            [
                failed("status=$(git rev-parse HEAD); echo $status", "(eval):1: read-only variable: status"),
                worked("head=$(git rev-parse HEAD); echo $head"),
            ],
            Tier.ADOPT,
            "shell-variable",
            ("Do not assign to `status` in this shell, it keeps that variable for itself: take another name."),
            id="zsh status",
        ),
        pytest.param(
            [
                failed("python scripts/gen.py", "/bin/bash: line 1: python: command not found"),
                worked("python3 scripts/gen.py"),
            ],
            Tier.ADOPT,
            "missing-program",
            "`python` is not available here: use `python3` instead.",
            id="python3",
        ),
        pytest.param(
            [failed("python -c 'print(1)'", "zsh:1: command not found: python"), worked("python3 -c 'print(2)'")],
            Tier.ADOPT,
            "missing-program",
            "`python` is not available here: use `python3` instead.",
            id="python -c",
        ),
        pytest.param(
            [failed("timeout 20 make dev", "(eval):1: command not found: timeout"), worked("gtimeout 20 make dev")],
            Tier.ADOPT,
            "missing-program",
            "`timeout` is not available here: use `gtimeout` instead.",
            id="timeout",
        ),
        pytest.param(
            [failed("pytest -q", "/bin/bash: line 1: pytest: command not found"), worked("uv run pytest -q")],
            Tier.ADOPT,
            "missing-program",
            "`pytest` is not available here: `uv run pytest` works.",
            id="uv run",
        ),
        pytest.param(
            [failed("tsc --noEmit", "zsh:1: command not found: tsc"), worked("npx tsc --noEmit")],
            Tier.ADOPT,
            "missing-program",
            "`tsc` is not available here: `npx tsc` works.",
            id="npx",
        ),
        pytest.param(
            [
                failed("eslint src", "/bin/bash: line 1: eslint: command not found"),
                worked("./node_modules/.bin/eslint src"),
            ],
            Tier.ADOPT,
            "missing-program",
            "`eslint` is not available here: `./node_modules/.bin/eslint` works.",
            id="local bin",
        ),
        pytest.param(
            [
                failed("docker-compose up -d", "/bin/bash: line 1: docker-compose: command not found"),
                worked("docker compose up -d"),
            ],
            Tier.ADOPT,
            "missing-program",
            "`docker-compose` is not available here: use `docker compose up` instead.",
            id="docker-compose",
        ),
        pytest.param(
            [
                failed("pnpm install", "/bin/bash: line 1: pnpm: command not found"),
                worked("corepack enable"),
                worked("pnpm install"),
            ],
            Tier.ADOPT,
            "missing-program",
            "`pnpm install` is not available here: run `corepack enable` first.",
            id="nvm",
        ),
        pytest.param(
            [
                failed("wrap yarn build", "error: unrecognized subcommand 'yarn'\n\nUsage: wrap <COMMAND>"),
                worked("yarn build"),
            ],
            Tier.ADOPT,
            "unknown-subcommand",
            "Run `yarn build` without `wrap`: `wrap` has no sub-command `yarn`.",
            id="a wrapper without the command",
        ),
        pytest.param(
            [
                failed("git -C web status", "error: unexpected argument '-C' found\n\nUsage: wrap git [OPTIONS]"),
                worked("git status"),
            ],
            Tier.ADOPT,
            "unknown-option",
            "`git -C` is rejected here as an unknown option: leave `-C` out.",
            id="usage other",
        ),
        pytest.param(
            [failed("acme deploy --stage dev", "Error: unknown flag: --stage"), worked("acme deploy --env dev")],
            Tier.ADOPT,
            "unknown-option",
            "`acme deploy --stage` is rejected here as an unknown option: `acme deploy --env` works.",
            id="unknown opt own",
        ),
        pytest.param(
            [failed("npm test -- --testPathPattern a", "Unknown option `--testPathPattern`"), worked("npm test -- a")],
            Tier.SUGGEST,
            "unknown-option",
            ("`npm test --testPathPattern` is rejected here as an unknown option: leave `--testPathPattern` out."),
            id="jest opt",
        ),
        pytest.param(
            [
                failed("npx vitest --runInBand a.test.ts", "CACError: Unknown option `--runInBand`"),
                worked("npx vitest --no-file-parallelism a.test.ts"),
            ],
            Tier.SUGGEST,
            "unknown-option",
            ("`vitest --runInBand` is rejected here as an unknown option: `vitest … --no-file-parallelism` works."),
            id="vitest",
        ),
    ],
)
def test_what_the_shell_or_a_program_did_not_take_is_a_recipe(
    payloads: list[dict[str, Any]], tier: Tier, error_class: str, rule: str
) -> None:
    signals = learned(*payloads)
    assert [(one.tier, one.trigger and one.trigger.error_class, one.rule) for one in signals] == [
        (tier, error_class, rule)
    ]
