"""What git says about a directory; the only caller of git."""

from wisen.gitrepo.probe import GitRepo

__all__ = ["GitRepo"]
