"""Keep one kernel of each group of near copies: the one of which most is proven.

A CUDA kernel and a HIP kernel are no copies of each other, however alike they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from crawler.model import KernelRecord, Status, select_run_per_device
from crawler.similarity.near_clusters import shorten_cluster

_EXECUTION_RANKS: Final = {Status.PASS.value: 3, Status.CONSISTENT.value: 2}
_RANK_WHERE_NOT_RUN: Final = 1
_MAX_DEPTH: Final = 99
_MAX_PATH_BYTES: Final = 500
"""An index shortens paths that are far longer: their depth is not known to every caller."""


class Rank(NamedTuple):
    """How good an example a kernel is among its copies; the greatest is kept."""

    has_unit: bool
    """Something that compiles alone."""
    execution: int
    """The best of what its runs came to."""
    targets: int
    """For how many it compiles."""
    nearness: int
    """To the root of its repository: what is vendored lies deeper."""


def rank_kernel(
    *,
    has_unit: bool,
    execution_statuses: Iterable[str],
    build_statuses: Iterable[str],
    path: str,
) -> Rank:
    """Return the rank of a kernel by what is known of it."""
    execution_ranks = [_EXECUTION_RANKS.get(status, 0) for status in execution_statuses]
    build_passes = [status == Status.PASS.value for status in build_statuses]
    is_long = len(path.encode("utf-8", "surrogatepass")) > _MAX_PATH_BYTES
    depth = _MAX_DEPTH if is_long else min(path.count("/"), _MAX_DEPTH)
    return Rank(
        has_unit=has_unit,
        execution=max(execution_ranks, default=_RANK_WHERE_NOT_RUN),
        targets=sum(build_passes),
        nearness=-depth,
    )


def rank_record(record: KernelRecord) -> Rank:
    """Return the rank of a whole record."""
    runs = select_run_per_device(record.runs)
    build_status_by_target = {
        build.target: build.pass_call.status.value for build in record.builds
    }
    return rank_kernel(
        has_unit=record.kernel.unit is not None,
        execution_statuses=[run.pass_exe.status.value for run in runs],
        build_statuses=build_status_by_target.values(),
        path=record.kernel.span.path,
    )


class Originals:
    """The best rank of each group of near copies, and which groups have shown it already.

    Of equally good kernels the one that comes first is kept: an index gives them by repository,
    commit, path and offset.
    """

    def __init__(self) -> None:
        self._best_ranks: dict[bytes, Rank] = {}
        self._seen: set[bytes] = set()

    def offer(self, near_cluster: str, dialect: str, rank: Rank) -> bool:
        """Take note of a kernel of a group, and return whether it is the best so far."""
        key = _make_key(near_cluster, dialect)
        best_rank = self._best_ranks.get(key)
        if best_rank is not None and rank <= best_rank:
            return False

        self._best_ranks[key] = rank
        return True

    def is_original(self, near_cluster: str, dialect: str, rank: Rank) -> bool:
        """Return whether a kernel is the one of its group that is kept: true once a group.

        A kernel without a group, and one of a group that was not offered, is no copy.
        """
        key = _make_key(near_cluster, dialect)
        if not near_cluster or key not in self._best_ranks:
            return True

        if key in self._seen or rank < self._best_ranks[key]:
            return False

        self._seen.add(key)
        return True


def _make_key(near_cluster: str, dialect: str) -> bytes:
    return dialect.encode() + shorten_cluster(near_cluster)
