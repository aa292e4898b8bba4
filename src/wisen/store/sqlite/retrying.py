"""What happens to a call that meets a damaged page? The file is mended, and the call is made again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from wisen.store.sqlite.connection import FileDamaged

P = ParamSpec("P")
T = TypeVar("T")


class _Mendable(Protocol):
    def mend(self, error: FileDamaged) -> None: ...


S = TypeVar("S", bound=_Mendable)


def mending(call: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let a method of a store run once more after its file was mended. A failed one has changed nothing."""

    @wraps(call)
    def mended(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(self, *args, **kwargs)
        except FileDamaged as error:
            self.mend(error)
        return call(self, *args, **kwargs)

    return mended
