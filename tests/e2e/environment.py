"""A Python environment of the test's own, with a copy of wisen in it that may be broken or removed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import wisen
from tests.e2e.home import Home


def own_environment(home: Home) -> Path:
    """Make the environment below the home's root, let `home.wisen` run from it, return its interpreter.

    The dependencies are those of the environment the tests run in.
    """
    root = home.root / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root], check=True, timeout=120)
    site = next(root.glob("lib/python*/site-packages"))
    shutil.copytree(Path(wisen.__file__).parent, site / "wisen", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = root / "bin" / "python"
    home.command = (str(python), "-c", "from wisen.cli.main import main; main()")
    return python
