"""Who asks, and what they may."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from fastapi import Request


class Role(StrEnum):
    """What a person may do; a later one may all that an earlier one may."""

    READER = "reader"
    """Look at everything, also at what reviewers are to stay blind to."""
    REVIEWER = "reviewer"
    """Give verdicts."""
    OPERATOR = "operator"
    """Retry, pause, resume and cancel."""

    def may(self, needed: Role) -> bool:
        """Return whether this role may what needs another."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who asks: a name, which is empty without a login, and a role."""

    name: str
    role: Role

    @property
    def is_reviewer(self) -> bool:
        """Whether they may give verdicts."""
        return bool(self.name) and self.role.may(Role.REVIEWER)

    @property
    def is_operator(self) -> bool:
        """Whether they may change crawls."""
        return bool(self.name) and self.role.may(Role.OPERATOR)


NOBODY: Final = Person(name="", role=Role.READER)
"""Who asks without a login."""


def get_person(request: Request) -> Person:
    """Return who asks."""
    person = getattr(request.state, "person", NOBODY)
    assert isinstance(person, Person), "only the session puts one there"
    return person
