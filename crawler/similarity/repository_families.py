"""Find repositories that are forks or repackagings of one another, by the kernels they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from crawler.similarity.near_clusters import shorten_cluster


class RepositoryCluster(NamedTuple):
    """Near copies of one kernel in one repository, at whatever commits."""

    repo: str
    """`OWNER/NAME`, or the name alone."""
    near_cluster: str
    """What the copies share."""
    depth: int
    """Folders above the copy that is nearest to the root."""


@dataclass(frozen=True, slots=True)
class RepositoryFamilies:
    """To which family each repository and each group of near copies belongs."""

    family_of_repo: Mapping[str, str]
    """Repository to the one that its family is named after."""
    home_of_cluster: Mapping[bytes, str]
    """Shortened group of near copies to the repository that it is at home in."""

    def find_family(self, repo: str, near_cluster: str) -> str:
        """Return the family that a kernel counts for: that of the home of its group, so that
        copies in other repositories go with it.
        """
        home = self.home_of_cluster.get(shorten_cluster(near_cluster), repo)
        return self.family_of_repo.get(home, home)


def find_repository_families(
    clusters: Iterable[RepositoryCluster],
) -> RepositoryFamilies:
    """Return the families of repositories, which depend on the set of `clusters` alone.

    A group of near copies is at home where it lies nearest to the root of a repository, in the
    first one by name of several. A repository belongs to the family of the one which is the home
    of more than half of its groups: a fork to what it was forked from, a project that vendors a
    library not to the library.
    """
    sorted_clusters = sorted(clusters)
    home_of_cluster = _find_homes(sorted_clusters)

    home_counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for repo, near_cluster, _ in sorted_clusters:
        home = home_of_cluster[shorten_cluster(near_cluster)]
        home_counts[repo][home] += 1

    parents = {repo: _find_parent(repo, homes) for repo, homes in home_counts.items()}
    family_of_repo = {repo: _find_root(repo, parents) for repo in parents}
    return RepositoryFamilies(family_of_repo, home_of_cluster)


def _find_homes(clusters: Iterable[RepositoryCluster]) -> dict[bytes, str]:
    nearest: dict[bytes, tuple[int, str]] = {}
    for repo, near_cluster, depth in clusters:
        key = shorten_cluster(near_cluster)
        place = depth, repo
        nearest[key] = min(nearest.get(key, place), place)

    return {key: repo for key, (_, repo) in nearest.items()}


def _find_parent(repo: str, homes: Counter[str]) -> str:
    home, count = homes.most_common(1)[0]
    return home if 2 * count > homes.total() else repo


def _find_root(repo: str, parents: Mapping[str, str]) -> str:
    # two repositories cannot each be the home of more than half of the other's groups, but
    # nothing is lost by an end for longer circles
    visited = {repo}
    while parents[repo] not in visited:
        repo = parents[repo]
        visited.add(repo)
    return repo
