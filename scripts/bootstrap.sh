#!/bin/sh
# Make the project's own environment in $1 from the lock file. Needs Python 3.11+ with venv and pip.
set -eu
venv=$1
cd "$(dirname "$0")/.."

find_python() {
  for name in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 || continue
    "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$name"; return 0; }
  done
  return 1
}

python=$(find_python) || {
  echo "error: no Python 3.11 or newer found on PATH" >&2
  echo "hint: install one, or say where it is: make PYTHON=/path/to/python3.11 ..." >&2
  exit 1
}
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  echo "error: $python cannot make virtual environments: its ensurepip module is missing" >&2
  echo "hint: on Debian or Ubuntu: apt-get install python$version-venv, then run this again" >&2
  exit 1
fi
echo "making $venv with $("$python" --version 2>&1) (once; about half a minute)"
# One of ours that was made here is refreshed in place; another's, a moved one and one without interpreter are not.
is_ours() {
  [ "$(cat "$venv/.wisen-stamp" 2>/dev/null)" = "$(pwd -P)" ] &&
    "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}
is_ours || "$python" -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
pwd -P >"$venv/.wisen-stamp"
