"""Forks belong to what they were forked from; who vendors a library does not belong to it."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from crawler.similarity.repository_families import (
    RepositoryCluster,
    find_repository_families,
)


def cluster_id(number: int) -> str:
    return f"{number:064x}"[::-1]


def clusters_of(repo: str, numbers: range, depth: int = 1) -> list[RepositoryCluster]:
    return [RepositoryCluster(repo, cluster_id(number), depth) for number in numbers]


def test_a_fork_and_a_repackaging_belong_to_the_original() -> None:
    families = find_repository_families(
        [
            *clusters_of("acme/blur", range(10)),
            *clusters_of("somebody/blur", range(10)),
            *clusters_of("blur-cuda", range(2, 8), depth=2),
        ]
    )
    assert set(families.family_of_repo.values()) == {"acme/blur"}


def test_copies_that_are_vendored_count_for_the_family_of_their_home() -> None:
    families = find_repository_families(
        [
            *clusters_of("library", range(10)),
            *clusters_of("user", range(3), depth=3),
            *clusters_of("user", range(20, 24)),
        ]
    )
    assert families.family_of_repo["user"] == "user"
    assert families.find_family("user", cluster_id(1)) == "library"
    assert families.find_family("user", cluster_id(21)) == "user"


def test_an_unknown_repository_is_a_family_of_its_own() -> None:
    families = find_repository_families([])
    assert families.find_family("new", "") == "new"


repo_names = st.sampled_from(["a", "b", "c", "d", "e"])
drawn_clusters = st.lists(
    st.builds(
        RepositoryCluster,
        repo_names,
        st.integers(0, 12).map(cluster_id),
        st.integers(0, 3),
    ),
    unique_by=lambda cluster: cluster[:2],
)


@given(drawn_clusters, st.randoms(use_true_random=False))
def test_families_depend_on_the_set_alone_and_near_copies_are_in_one(
    clusters: list[RepositoryCluster], shuffler: random.Random
) -> None:
    families = find_repository_families(clusters)
    shuffled = clusters[:]
    shuffler.shuffle(shuffled)
    assert find_repository_families(shuffled) == families

    by_cluster: dict[str, set[str]] = {}
    for repo, near_cluster, _ in clusters:
        family = families.find_family(repo, near_cluster)
        by_cluster.setdefault(near_cluster, set()).add(family)

    assert all(len(families) == 1 for families in by_cluster.values())
