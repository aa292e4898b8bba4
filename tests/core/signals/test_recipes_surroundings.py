"""What a command teaches that works in other surroundings, told in our own small sessions."""

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
                failed("make test", "direnv: error /repo/.envrc is blocked. Run `direnv allow` to approve its content"),
                worked("direnv allow"),
                worked("make test"),
            ],
            Tier.ADOPT,
            "untrusted-config",
            "`make test` is refused until the configuration is trusted: run `direnv allow` first.",
            id="direnv",
        ),
        pytest.param(
            [
                failed(
                    "mise run test",
                    "mise ERROR Config files in /repo/mise.toml are not trusted.\nTrust them with `mise trust`.",
                ),
                worked("mise trust"),
                worked("mise run test"),
            ],
            Tier.ADOPT,
            "untrusted-config",
            "`mise run test` is refused until the configuration is trusted: run `mise trust` first.",
            id="mise trust",
        ),
        pytest.param(
            [
                failed("git log -1", "fatal: detected dubious ownership in repository at '/repo'"),
                worked("git config --global --add safe.directory /repo"),
                worked("git log -1"),
            ],
            Tier.ADOPT,
            "untrusted-config",
            (
                "`git log` is refused until the configuration is trusted: run `git config --global --add "
                "safe.directory …` first."
            ),
            id="dubious",
        ),
        pytest.param(
            [failed("pip install ruff", "error: externally-managed-environment"), worked("uv pip install ruff")],
            Tier.ADOPT,
            "managed-python",
            ("`pip install` is refused, the system's Python is managed from outside: `uv pip install` works."),
            id="managed",
        ),
        pytest.param(
            [
                failed("pip install -r requirements.txt", "error: externally-managed-environment"),
                worked("python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"),
            ],
            Tier.ADOPT,
            "managed-python",
            ("`pip install` is refused, the system's Python is managed from outside: `.venv/bin/pip install` works."),
            id="managed venv",
        ),
        pytest.param(
            [failed("python -m pytest", "/usr/bin/python: No module named pytest"), worked("uv run pytest")],
            Tier.ADOPT,
            "missing-dependency",
            "`python -m pytest` does not find a module or a package: `uv run pytest` works.",
            id="no module pytest",
        ),
        pytest.param(
            [failed("pytest", "ModuleNotFoundError: No module named 'app'"), worked("PYTHONPATH=src pytest")],
            Tier.ADOPT,
            "missing-dependency",
            "`pytest` does not find a module or a package: `PYTHONPATH=src pytest` works.",
            id="module venv",
        ),
        pytest.param(
            [
                failed("npm run migrate", "Error: DATABASE_URL is not set"),
                worked("DATABASE_URL=postgres://localhost/dev npm run migrate"),
            ],
            Tier.ADOPT,
            "missing-variable",
            (
                "`npm run migrate` fails without its environment variable: "
                "`DATABASE_URL=postgres://localhost/dev npm run migrate` works."
            ),
            id="db env",
        ),
        pytest.param(
            [
                failed("npx prisma migrate dev", "error: Environment variable not found: DATABASE_URL."),
                worked("cp .env.example .env"),
                worked("npx prisma migrate dev"),
            ],
            Tier.ADOPT,
            "missing-variable",
            ("`prisma migrate dev` fails without its environment variable: run `cp .env.example .env` first."),
            id="prisma env",
        ),
        pytest.param(
            [
                failed(
                    "go mod download",
                    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
                ),
                worked("GOPRIVATE=github.com/acme go mod download"),
            ],
            Tier.ADOPT,
            "not-interactive",
            ("`go mod download` fails without a terminal: `GOPRIVATE=github.com/acme go mod download` works."),
            id="go private",
        ),
        pytest.param(
            [
                failed(
                    "npm run build", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"
                ),
                worked("NODE_OPTIONS=--max-old-space-size=8192 npm run build"),
            ],
            Tier.ADOPT,
            "out-of-memory",
            ("`npm run build` runs out of memory: `NODE_OPTIONS=--max-old-space-size=8192 npm run build` works."),
            id="node mem",
        ),
        pytest.param(
            [
                failed("npm start", "Error: error:0308010C:digital envelope routines::unsupported"),
                worked("NODE_OPTIONS=--openssl-legacy-provider npm start"),
            ],
            Tier.ADOPT,
            "other",
            "`npm start` fails: `NODE_OPTIONS=--openssl-legacy-provider npm start` works.",
            id="openssl legacy",
        ),
        pytest.param(
            [
                failed(
                    "make integration",
                    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
                ),
                worked("colima start"),
                worked("make integration"),
            ],
            Tier.ADOPT,
            "service-down",
            "`make integration` fails while its service is down: run `colima start` first.",
            id="docker down",
        ),
        pytest.param(
            [
                failed("npm test", "connect ECONNREFUSED 127.0.0.1:5432"),
                worked("docker compose up -d db"),
                worked("npm test"),
            ],
            Tier.ADOPT,
            "service-down",
            "`npm test` fails while its service is down: run `docker compose up -d db` first.",
            id="db down",
        ),
        pytest.param(
            [failed("pytest", "psycopg.OperationalError: connection refused"), worked("make db-up"), worked("pytest")],
            Tier.ADOPT,
            "service-down",
            "`pytest` fails while its service is down: run `make db-up` first.",
            id="pg",
        ),
        pytest.param(
            [
                failed(
                    "npx playwright test",
                    "browserType.launch: Executable doesn't exist at /home/x/.cache/ms-playwright/chromium",
                ),
                worked("npx playwright install chromium"),
                worked("npx playwright test"),
            ],
            Tier.ADOPT,
            "missing-dependency",
            ("`playwright test` does not find a module or a package: run `npx playwright install chromium` first."),
            id="playwright",
        ),
        pytest.param(
            [failed("npm test", "sh: 1: vitest: not found"), worked("npm ci"), worked("npm test")],
            Tier.ADOPT,
            "missing-dependency",
            "`npm test` does not find a module or a package: run `npm ci` first.",
            id="deps",
        ),
        pytest.param(
            [
                failed("pnpm install", ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"'),
                worked("pnpm install --no-frozen-lockfile"),
            ],
            Tier.SUGGEST,
            "lockfile",
            ("`pnpm install` fails, the lock file is not up to date: `pnpm install --no-frozen-lockfile` works."),
            id="lockfile",
        ),
        pytest.param(
            [
                failed(
                    "pnpm install",
                    "ERR_PNPM_UNSUPPORTED_ENGINE Unsupported environment (bad pnpm and/or Node.js version)",
                ),
                worked("nvm use 20"),
                worked("pnpm install"),
            ],
            Tier.ADOPT,
            "version",
            "`pnpm install` fails with the wrong version: run `nvm use 20` first.",
            id="node version",
        ),
        pytest.param(
            [
                failed("go build ./...", "go: go.mod requires go >= 1.22 (running go 1.21.3; GOTOOLCHAIN=local)"),
                worked("GOTOOLCHAIN=auto go build ./..."),
            ],
            Tier.ADOPT,
            "version",
            "`go build` fails with the wrong version: `GOTOOLCHAIN=auto go build` works.",
            id="toolchain",
        ),
        pytest.param(
            [
                failed("go test ./e2e", "package acme/e2e: build constraints exclude all Go files in /repo/e2e"),
                worked("go test -tags e2e ./e2e"),
            ],
            Tier.ADOPT,
            "nothing-selected",
            "`go test` selects nothing: `go test -tags e2e` works.",
            id="tags",
        ),
        pytest.param(
            [
                failed(
                    "cargo test --test api", "error: target `api` in package `core` requires the features: `testing`"
                ),
                worked("cargo test --test api --features testing"),
            ],
            Tier.ADOPT,
            "nothing-selected",
            "`cargo test` selects nothing: `cargo test --features testing` works.",
            id="features",
        ),
        pytest.param(
            [
                failed("cargo test -p app", "error: package ID specification `app` did not match any packages"),
                worked("cargo test -p acme-app"),
            ],
            Tier.ADOPT,
            "nothing-selected",
            "`cargo test` selects nothing: `cargo test -p acme-app` works.",
            id="workspace",
        ),
        pytest.param(
            [
                failed("go build ./...", "open /home/x/.cache/go-build/ab/x: operation not permitted"),
                worked("GOCACHE=/tmp/gocache go build ./..."),
            ],
            Tier.ADOPT,
            "not-permitted",
            "`go build` fails for lack of a permission: `GOCACHE=/tmp/gocache go build` works.",
            id="sandbox cache",
        ),
        pytest.param(
            [failed("docker exec -it db psql", "the input device is not a TTY"), worked("docker exec db psql")],
            Tier.SUGGEST,
            "not-interactive",
            "`docker exec` fails without a terminal: leave `-it` out.",
            id="tty",
        ),
        pytest.param(
            [
                failed(
                    "gh pr list --repo ann/widgets",
                    "GraphQL: Could not resolve to a Repository with the name 'ann/widgets'. (repository)",
                ),
                worked("gh pr list --repo acme/widgets"),
            ],
            Tier.ADOPT,
            "unknown-repository",
            "`gh pr list` does not find the repository: `gh pr list --repo acme/widgets` works.",
            id="gh repo",
        ),
        pytest.param(
            [
                failed(
                    "git clone https://github.com/ann/widgets",
                    "fatal: repository 'https://github.com/ann/widgets/' not found",
                ),
                worked("git clone --depth 1 https://github.com/acme/widgets"),
            ],
            Tier.ADOPT,
            "unknown-repository",
            "`git clone` does not find the repository: `git clone https://github.com/acme/widgets` works.",
            id="clone",
        ),
        pytest.param(
            [
                failed("cargo build", "error: couldn't read `src/gen/api.rs`: No such file or directory (os error 2)"),
                worked("make proto"),
                worked("cargo build"),
            ],
            Tier.ADOPT,
            "other",
            "`cargo build` needs `make proto` first.",
            id="gen",
        ),
        pytest.param(
            [
                failed("npm test", "Error: Cannot find module '../dist/index.js'"),
                worked("npm run build"),
                worked("npm test"),
            ],
            Tier.ADOPT,
            "missing-dependency",
            "`npm test` does not find a module or a package: run `npm run build` first.",
            id="build first",
        ),
        pytest.param(
            [failed("rspec", "bundler: command not found: rspec"), worked("bundle exec rspec")],
            Tier.ADOPT,
            "missing-dependency",
            "`rspec` does not find a module or a package: `bundle exec rspec` works.",
            id="bundle",
        ),
        pytest.param(
            [failed("acme sync", "fatal: schema is out of date"), worked("acme migrate up"), worked("acme sync")],
            Tier.ADOPT,
            "other",
            "`acme sync` needs `acme migrate up` first.",
            id="sbt",
        ),
        pytest.param(
            [
                failed("./check.sh", "./check.sh: line 3: SHOP_ENV: unbound variable"),
                worked("SHOP_ENV=test ./check.sh"),
            ],
            Tier.ADOPT,
            "missing-variable",
            "`./check.sh` fails without its environment variable: `SHOP_ENV=test ./check.sh` works.",
            id="own script env",
        ),
        pytest.param(
            [failed("./check.sh", "not ready"), worked("./prepare.sh"), worked("./check.sh")],
            Tier.ADOPT,
            "other",
            "`./check.sh` needs `./prepare.sh` first.",
            id="own script step",
        ),
        pytest.param(
            [failed("make check", "STAGE?"), worked("make check STAGE=dev")],
            Tier.SUGGEST,
            "other",
            "`make check` fails: `make check STAGE=dev` works.",
            id="make variable",
        ),
        pytest.param(
            [failed("make deploy", "set STAGE"), worked("export STAGE=dev && make deploy")],
            Tier.ADOPT,
            "other",
            "`make deploy` fails: `STAGE=dev make deploy` works.",
            id="exported",
        ),
    ],
)
def test_what_a_command_needs_on_this_machine_is_a_recipe(
    payloads: list[dict[str, Any]], tier: Tier, error_class: str, rule: str
) -> None:
    signals = learned(*payloads)
    assert [(one.tier, one.trigger and one.trigger.error_class, one.rule) for one in signals] == [
        (tier, error_class, rule)
    ]


@pytest.mark.parametrize(
    ("failing", "working"),
    [
        ("gh pr view 12 --repo ann/widgets --json title", "gh pr view 12 --json title,body"),
        ("gh api repos/ann/widgets/pulls", "gh api user"),
        ("gh pr list --repo ann/widgets", "gh pr list --state all"),
        ("gh pr diff --repo ann/widgets", "gh pr diff --name-only docs/notes.md"),
    ],
)
def test_what_names_no_repository_is_not_why_one_is_found(failing: str, working: str) -> None:
    error = "GraphQL: Could not resolve to a Repository with the name 'ann/widgets'. (repository)"
    assert [one for one in learned(failed(failing, error), worked(working)) if one.tier is Tier.ADOPT] == []
