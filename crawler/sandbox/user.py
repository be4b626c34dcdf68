"""Allocate unprivileged user ids for sandboxed programs.

The kernel counts processes, allows signals and tracing by the user's id, so no two runs share
one.
"""

from __future__ import annotations

import itertools
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Final

IdRange = tuple[int, int]
"""First id, and how many."""
_UNUSED_IDS: Final[IdRange] = (0x70000000, 1 << 28)
"""Ids that no system and no container is given by convention."""
_RUN_NUMBERS: Final = itertools.count()
_IDS_PER_PROCESS: Final = 64


def allocate_user_id() -> int | None:
    """Return an id for a user and a group that nobody else has.

    Returns `None` where we are not root, or may not change to another user.
    """
    id_range = _find_id_range()
    if id_range is None:
        return None

    first, count = id_range
    run_number = next(_RUN_NUMBERS) % _IDS_PER_PROCESS

    return first + (os.getpid() * _IDS_PER_PROCESS + run_number) % count


def explain_root_identity() -> str:
    """Return why a run would be root on the host, empty where it would not."""
    if os.geteuid() != 0 or _find_id_range() is not None:
        return ""
    if not is_root_outside(_read_id_map("uid")):
        return ""

    return (
        "root can become nobody else here:"
        " setpriv (util-linux) or ids to give away are missing"
    )


def is_root_outside(uid_map: str) -> bool:
    """Return whether root here is root in the parent namespace too, given the map of ids."""
    return any(line.split()[:2] == ["0", "0"] for line in uid_map.splitlines())


@cache
def _find_id_range() -> IdRange | None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return None
    return choose_id_range(_read_id_map("uid"), _read_id_map("gid"))


def _read_id_map(kind: str) -> str:
    """Return `/proc/self/uid_map` or `gid_map`: lines of first id inside, outside, and count."""
    return Path(f"/proc/self/{kind}_map").read_text()


def choose_id_range(uid_map: str, gid_map: str) -> IdRange | None:
    """Return the ids to use, given the maps of our own namespace.

    Where a container does not have all ids, it is the upper half of those that it has: accounts
    are numbered from below.
    """
    shared = set(_parse_id_map(uid_map)) & set(_parse_id_map(gid_map))
    unused_first, unused_count = _UNUSED_IDS

    for first, count in shared:
        starts_before = first <= unused_first
        if starts_before and unused_first + unused_count <= first + count:
            return _UNUSED_IDS

    if not shared:
        return None

    by_size = sorted(shared, key=lambda id_range: id_range[1])
    first, count = by_size[-1]
    if count < 2 * _IDS_PER_PROCESS:
        return None

    half = count // 2

    return first + count - half, half


def _parse_id_map(text: str) -> list[IdRange]:
    ranges: list[IdRange] = []
    for line in text.splitlines():
        first_inside, _first_outside, count = line.split()
        ranges.append((int(first_inside), int(count)))
    return ranges
