"""Interface of a validator: one way to compile a kernel unit for a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from crawler.model import Build, Dialect, KernelUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A build's record and the object itself, empty where there is none."""

    build: Build
    object: bytes = b""


class Validator(Protocol):
    """One way to compile a unit for a device; one file each, which ends with `PLUGIN:
    Final[Validator]`.
    """

    name: str
    order: int
    """Of two that serve a target the lower order is asked."""

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the targets that units of `dialect` can be built for with what this machine
        has.
        """
        ...

    def build(self, unit: KernelUnit, target: str) -> Built:
        """Compile every instantiation of `unit` into one object for one of `targets`.

        A unit that does not compile is a value, not an exception; a missing compiler is
        `skipped`.
        """
        ...
