"""Tell the names that code uses by themselves from those of an object's members."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

# names of two letters and less are not worth a look-up
_NAME: Final = r"[A-Za-z_]\w{2,}"
# code without comments and literals, of every function of a project: `a.b`, `a->b` and `f...` are
# told apart by what stands in front
_FREE_NAME: Final = re.compile(
    rf"(?<![\w.>])(?<!template )({_NAME})|(?<!-)>({_NAME})|\.\.\.({_NAME})"
)
# `tensor.max()`, `this->max()`, `x.template max<float>()`
_MEMBER_NAME: Final = re.compile(rf"(?:(?<!\.)\.|->)\s*+(?:template\s++)?+({_NAME})")


class UsedNames(NamedTuple):
    """The names in a stretch of code."""

    free: frozenset[str]
    """Names of functions, types and variables: what stands behind no `.` and no `->`."""
    members: frozenset[str]
    """Names that stand behind an object, which only a member of a class can have."""

    def join(self, other_names: UsedNames) -> UsedNames:
        """Return these names and others."""
        return UsedNames(
            self.free | other_names.free, self.members | other_names.members
        )


NO_NAMES: Final = UsedNames(frozenset(), frozenset())


def collect_used_names(code: str, start: int = 0, end: int | None = None) -> UsedNames:
    """Return the names in `code`, which has no comments and no literals."""
    stop = len(code) if end is None else end
    free_names = {
        name[name.lastindex or 0] for name in _FREE_NAME.finditer(code, start, stop)
    }
    members = frozenset(_MEMBER_NAME.findall(code, start, stop))

    return UsedNames(free=frozenset(free_names), members=members)
