"""What does the declaration of a setting say, in words? Read from a msgspec struct, so that it stands there once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

_FORMS: Final = {
    "user_id": "a name of at most 64 characters without spaces, slashes and colons",
    "upstreams": "a table of host/owner/repo = host/owner/repo",
    "tool_recall": "a table of regular expression = words",
    "secret_scanner": "the name or path of a program",
    "embedding": "auto, packaged, endpoint, hashing or off",
    "embedding_dir": "a path that begins with / or ~/",
    "embedding_url": "an address that begins with http:// or https://",
    "embedding_key_file": "a path that begins with / or ~/",
    "exclude": "a list of globs that begin with /, ~/ or *",
}
_KINDS: Final[Mapping[type, str]] = {
    msgspec.inspect.BoolType: "true or false",
    msgspec.inspect.IntType: "a whole number",
    msgspec.inspect.FloatType: "a number",
    msgspec.inspect.StrType: "text",
    msgspec.inspect.DictType: "a table",
    msgspec.inspect.VarTupleType: "a list",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """What the declaration says about one setting: `kind` is its type in words, the bounds are inclusive."""

    name: str
    env_name: str
    kind: str
    default: object
    description: str
    lowest: float | None = None
    highest: float | None = None

    @property
    def expected(self) -> str:
        """What may stand there, in words."""
        match self.lowest, self.highest:
            case None, None:
                return _FORMS.get(self.name, self.kind)
            case low, None:
                return f"{self.kind}, at least {low:g}"
            case low, high:
                return f"{self.kind}, {low:g} to {high:g}"


def declared(field: msgspec.structs.FieldInfo) -> SettingField:
    """Return what a settings struct says about one of its fields, which carries a description."""
    info = msgspec.inspect.type_info(field.type)
    assert isinstance(info, msgspec.inspect.Metadata)  # noqa: S101 - no field is without one
    return SettingField(
        name=field.name,
        env_name=f"WISEN_{field.name.upper()}",
        kind=_KINDS[type(info.type)],
        default=field.default_factory() if field.default is msgspec.NODEFAULT else field.default,
        description=(info.extra_json_schema or {})["description"],
        lowest=getattr(info.type, "ge", None),
        highest=getattr(info.type, "le", None),
    )
