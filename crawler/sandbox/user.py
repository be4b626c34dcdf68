"""Allocate unprivileged user ids for sandboxed programs.

What counts processes, sends signals or looks into others goes by the id, so no two runs share
one.
"""

from __future__ import annotations

import itertools
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Final

_NOBODYS: Final = (0x70000000, 1 << 28)
"""First id, and how many: no system and no container is given these by convention."""
_RUNS: Final = itertools.count()
_RUNS_EACH: Final = 64


def allocate_user_id() -> int | None:
    """Return an id for a user and a group that are nobody's; `None` where we are no root that
    could hand one out.
    """
    found = _range()
    if found is None:
        return None
    first, many = found
    return first + (os.getpid() * _RUNS_EACH + next(_RUNS) % _RUNS_EACH) % many


def explain_root_identity() -> str:
    """Return why a run would be root on the host, empty where it is not."""
    if os.geteuid() != 0 or _range() is not None or not is_root_outside(_map("uid")):
        return ""
    return "root can become nobody else here: setpriv (util-linux) or ids to give away are missing"


def is_root_outside(uid_map: str) -> bool:
    """Tell whether root here is root for who made our namespace, too, given the map of ids."""
    return any(line.split()[:2] == ["0", "0"] for line in uid_map.splitlines())


@cache
def _range() -> tuple[int, int] | None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return None
    return choose_id_range(_map("uid"), _map("gid"))


def _map(kind: str) -> str:
    return Path(f"/proc/self/{kind}_map").read_text()


def choose_id_range(uid_map: str, gid_map: str) -> tuple[int, int] | None:
    """Return first and number of the ids to use, given the maps of our own namespace.

    The upper half of what a container has, where it has not all: accounts are counted from
    below.
    """
    first, many = _NOBODYS
    for known_first, known_many in set(_ranges(uid_map)) & set(_ranges(gid_map)):
        if known_first <= first and first + many <= known_first + known_many:
            return _NOBODYS
    shared = sorted(
        set(_ranges(uid_map)) & set(_ranges(gid_map)), key=lambda each: each[1]
    )
    if not shared or shared[-1][1] < 2 * _RUNS_EACH:
        return None
    first, many = shared[-1]
    return first + many - many // 2, many // 2


def _ranges(text: str) -> list[tuple[int, int]]:
    lines = (line.split() for line in text.splitlines())
    return [(int(inside), int(count)) for inside, _outside, count in lines]
