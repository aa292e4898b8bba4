"""What git says about a directory, and what lies in it; the only caller of git."""

from wisen.gitrepo.guides import GuidesOnDisk
from wisen.gitrepo.probe import GitRepo
from wisen.gitrepo.tree import WorkTreeOnDisk

__all__ = ["GitRepo", "GuidesOnDisk", "WorkTreeOnDisk"]
