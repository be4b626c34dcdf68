"""Rank the launch sites of a kernel by how much they say of a launch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.model import Kernel, Launch

_MAX_LAUNCH_SITES: Final = 3
# A launch's grid is a recorded expression of host code: `config.block_count` is a member, and
# nothing but the member.
_MEMBER_EXPRESSION: Final = re.compile(r"\w+(?:(?:\.|->)\w+)+")


def rank_launch_sites(
    kernel: Kernel, entry_arguments: Sequence[str]
) -> tuple[Launch | None, ...]:
    """Return the launch sites of an instantiation, the best known first.

    Where there is none, the only one is `None`.
    """
    template_arguments = tuple(entry_arguments)

    def rank(launch: Launch) -> tuple[bool, bool, bool, bool]:
        # What a structure's member holds is not known.
        is_member_grid = _MEMBER_EXPRESSION.fullmatch(launch.grid) is not None
        return (
            template_arguments not in launch.template_arguments,
            not launch.argument_map,
            is_member_grid,
            not launch.setup,
        )

    # False sorts before true: what is known comes first.
    ranked = sorted(kernel.launches, key=rank)
    if not ranked:
        return (None,)

    return tuple(ranked[:_MAX_LAUNCH_SITES])
