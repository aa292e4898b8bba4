"""Which harnesses can wisen be installed into? One line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from wisen.config import Paths
from wisen.errors import NotFound
from wisen.install import claude_code, opencode
from wisen.install.plan import HarnessStatus, InstallPlan, UninstallReport


class Installer(Protocol):
    """What each harness's module offers."""

    def plan(self, env: Mapping[str, str], paths: Paths) -> InstallPlan:
        """Return what an installation would change; write nothing."""
        ...

    def apply(self, plan: InstallPlan) -> None:
        """Make the change, or none."""
        ...

    def uninstall(self, env: Mapping[str, str], paths: Paths) -> UninstallReport:
        """Take everything of ours out."""
        ...

    def status(self, env: Mapping[str, str], paths: Paths) -> HarnessStatus:
        """Return how the registration stands."""
        ...


HARNESSES: Final[Mapping[str, Installer]] = {
    "claude-code": claude_code,
    "opencode": opencode,
}


def installer(harness: str) -> Installer:
    """Return the module of a harness. Raises NotFound for an unknown one."""
    if harness not in HARNESSES:
        raise NotFound(f"no harness named {harness!r}", hint=f"known: {', '.join(sorted(HARNESSES))}")
    return HARNESSES[harness]
