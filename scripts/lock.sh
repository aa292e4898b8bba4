#!/bin/sh
# Rewrite the lock files from pyproject.toml. Needs uv. Releases younger than a week are left aside.
set -eu
cd "$(dirname "$0")/.."
week_ago=$(date -u -d '7 days ago' +%Y-%m-%d 2>/dev/null || date -u -v-7d +%Y-%m-%d)
common="--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --quiet --exclude-newer $week_ago"
export UV_CUSTOM_COMPILE_COMMAND=scripts/lock.sh
# shellcheck disable=SC2086
uv pip compile $common pyproject.toml --extra local -o requirements/run.lock
# shellcheck disable=SC2086
uv pip compile $common pyproject.toml --extra local --group dev -o requirements/dev.lock
