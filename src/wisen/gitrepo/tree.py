"""Is a file in a work tree? Looked up on disk; git is not asked, because what is not committed yet is there as well."""

from __future__ import annotations

from pathlib import Path


class WorkTreeOnDisk:
    """The user's files. Implements `ports.WorkTree`."""

    def holds(self, top: str, path: str) -> bool | None:
        """Tell whether a work tree holds a file, by its path below the top; None where there is no work tree."""
        try:
            root = Path(top).resolve()
            if not top or not root.is_dir():
                return None
            place = (root / path).resolve()
            return place.is_relative_to(root) and place.is_file()
        except (OSError, RuntimeError, ValueError):  # out of reach, a loop of links, a NUL
            return None
