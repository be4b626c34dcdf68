"""Describe the settings in force as `config show` prints them, secrets hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pydantic import SecretStr

from workers.config.setting_sources import drop_absent_flags, find_origin
from workers.config.settings import Settings

_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@\s]+@")
"""`USER:PASSWORD@` of an address; not parsed, since a value may be no well-formed address."""
_MASK: Final = "********"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting as `config show` prints it."""

    name: str
    value: str
    origin: str
    """`flag`, the environment variable, the file, or `default`."""


def describe_settings(settings: Settings, **flags: object) -> tuple[Setting, ...]:
    """Return every setting with where it came from, secrets hidden."""
    given_flags = drop_absent_flags(flags)
    descriptions: list[Setting] = []
    for name in type(settings).model_fields:
        description = Setting(
            name=name,
            value=_mask_secrets(getattr(settings, name)),
            origin=find_origin(name, given_flags),
        )
        descriptions.append(description)
    return tuple(descriptions)


def _mask_secrets(value: object) -> str:
    if isinstance(value, SecretStr):
        # an empty secret is shown as empty: often that is the very fault one looks for
        return _MASK if value.get_secret_value() else ""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(map(_mask_secrets, value))
    return _CREDENTIALS.sub(f"{_MASK}@", str(value))
