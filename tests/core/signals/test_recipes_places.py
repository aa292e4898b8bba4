"""What a command teaches that works in another place or under another name, told in our own small sessions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.signals.told import failed, learned, worked

from wisen.core.types import Tier


@pytest.mark.parametrize(
    ("payloads", "tier", "error_class", "rule"),
    [
        pytest.param(
            [failed("cargo nextest run", "error: no such command: `nextest`"), worked("cargo test")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `nextest` here: run `cargo test`.",
            id="cargo sub",
        ),
        pytest.param(
            [failed("npm run typecheck", 'npm error Missing script: "typecheck"'), worked("npm run check:types")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `typecheck` here: run `npm run check:types`.",
            id="npm script",
        ),
        pytest.param(
            [failed("npm run typecheck", 'npm error Missing script: "typecheck"'), worked("npm run type-check")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `typecheck` here: run `npm run type-check`.",
            id="npm script alike",
        ),
        pytest.param(
            [failed("npm test", 'npm error Missing script: "test"', cwd="/repo"), worked("cd web && npm test")],
            Tier.ADOPT,
            "no-such-script",
            "Run `npm test` in `web/`: elsewhere it has no such script.",
            id="npm cwd",
        ),
        pytest.param(
            [
                failed("npm test", 'npm error Missing script: "test"', cwd="/repo"),
                worked("cd /repo/web && npm test", cwd="/repo"),
            ],
            Tier.ADOPT,
            "no-such-script",
            "Run `npm test` in `web/`: elsewhere it has no such script.",
            id="npm absolute cwd",
        ),
        pytest.param(
            [
                failed("npm test", 'npm error Missing script: "test"', cwd="/repo/web"),
                worked("cd /repo && npm test", cwd="/repo/web"),
            ],
            Tier.ADOPT,
            "no-such-script",
            "Run `npm test` in the directory above `web/`: elsewhere it has no such script.",
            id="npm absolute cwd above",
        ),
        pytest.param(
            [
                failed("npm run build", 'npm error Missing script: "build"', cwd="/repo/web/src"),
                worked("npm run build", cwd="/repo/web"),
            ],
            Tier.ADOPT,
            "no-such-script",
            "Run `npm run build` in the directory above `src/`: elsewhere it has no such script.",
            id="npm cwd2",
        ),
        pytest.param(
            [
                failed("npm run build", 'npm error Missing script: "build"', cwd="/repo"),
                worked("npm run build", cwd="/repo/packages/web"),
            ],
            Tier.ADOPT,
            "no-such-script",
            "Run `npm run build` in `packages/web/`: elsewhere it has no such script.",
            id="npm cwd3",
        ),
        pytest.param(
            [failed("pnpm run dev", " ERR_PNPM_NO_SCRIPT  Missing script: dev"), worked("pnpm --filter web run dev")],
            Tier.ADOPT,
            "no-such-script",
            "`pnpm run dev` has no such script without saying where: `pnpm --filter web run dev` works.",
            id="pnpm filter",
        ),
        pytest.param(
            [failed("make tests", "make: *** No rule to make target 'tests'.  Stop."), worked("make test")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `tests` here: run `make test`.",
            id="make target",
        ),
        pytest.param(
            [failed("make lint", "make: *** No rule to make target 'lint'.  Stop."), worked("make go-lint")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `lint` here: run `make go-lint`.",
            id="make target2",
        ),
        pytest.param(
            [failed("just fmt", "error: Justfile does not contain recipe `fmt`"), worked("just format")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `fmt` here: run `just format`.",
            id="just",
        ),
        pytest.param(
            [failed("mise run lint", "mise ERROR no task lint found"), worked("mise run lint:all")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `lint` here: run `mise run lint:all`.",
            id="mise task",
        ),
        pytest.param(
            [failed("task gen", 'task: Task "gen" does not exist'), worked("task generate")],
            Tier.ADOPT,
            "no-such-script",
            "There is no `gen` here: run `task generate`.",
            id="task",
        ),
        pytest.param(
            [
                failed("cargo test", "error: could not find `Cargo.toml` in `/repo` or any parent directory"),
                worked("cd core && cargo test"),
            ],
            Tier.ADOPT,
            "wrong-directory",
            "Run `cargo test` in `core/`: elsewhere it fails.",
            id="cargo dir",
        ),
        pytest.param(
            [
                failed("cargo test", "error: could not find `Cargo.toml` in `/repo` or any parent directory"),
                worked("cargo test --manifest-path src-tauri/Cargo.toml"),
            ],
            Tier.ADOPT,
            "wrong-directory",
            ("`cargo test` fails without saying where: `cargo test --manifest-path src-tauri/Cargo.toml` works."),
            id="cargo manifest",
        ),
        pytest.param(
            [
                failed(
                    "go build ./...",
                    "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
                ),
                worked("cd backend && go build ./..."),
            ],
            Tier.ADOPT,
            "wrong-directory",
            "Run `go build` in `backend/`: elsewhere it fails.",
            id="go mod",
        ),
        pytest.param(
            [
                failed(
                    "go test ./...",
                    "pattern ./...: directory prefix . does not contain main module or its selected dependencies",
                ),
                worked("cd api && go test ./..."),
            ],
            Tier.ADOPT,
            "wrong-directory",
            "Run `go test` in `api/`: elsewhere it fails.",
            id="go mod2",
        ),
        pytest.param(
            [
                failed("docker compose up -d", "no configuration file provided: not found"),
                worked("docker compose -f deploy/compose.yml up -d"),
            ],
            Tier.ADOPT,
            "wrong-directory",
            ("`docker compose up` fails without saying where: `docker compose -f deploy/compose.yml up -d` works."),
            id="compose file",
        ),
    ],
)
def test_where_a_command_works_or_what_it_is_called_here_is_a_recipe(
    payloads: list[dict[str, Any]], tier: Tier, error_class: str, rule: str
) -> None:
    signals = learned(*payloads)
    assert [(one.tier, one.trigger and one.trigger.error_class, one.rule) for one in signals] == [
        (tier, error_class, rule)
    ]


def test_a_directory_of_another_place_says_nothing_of_the_project() -> None:
    payloads = [
        failed("npm test", 'npm error Missing script: "test"', cwd="/repo"),
        worked("cd /elsewhere/web && npm test", cwd="/repo"),
    ]
    assert all("root" not in str(one) for one in learned(*payloads))
