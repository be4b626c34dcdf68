"""Commits of the index in memory, with their kernels."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

from crawler.model import Kernel, Layer, Repo

CommitKey = tuple[str, str, str, str]
"""(source, owner, name, commit)."""


@dataclass(slots=True)
class Commit:
    """A commit, the tasks that found it, and its kernels."""

    repo: Repo
    snapshot: str = ""
    database: str = ""
    tasks: set[int] = field(default_factory=set)
    kernels: list[Kernel] = field(default_factory=list)
    superseded: bool = False


def commit_key(repo: Repo) -> CommitKey:
    """Return what tells a commit from others."""
    return repo.source, repo.owner, repo.name, repo.commit


def place_of(placed: tuple[Commit, Kernel]) -> tuple[str, str, str, int]:
    """Return by what kernels are ordered."""
    commit, kernel = placed
    repo = commit.repo
    span = kernel.span

    return repo.label, repo.commit, span.path, span.offset


def rename_commits(commits: dict[CommitKey, Commit], old: Repo, new: Repo) -> None:
    """Give every commit of a repository another owner, name and address."""
    repository = old.source, old.owner, old.name
    # listed first: the loop changes the dictionary
    old_keys = [key for key in commits if key[:3] == repository]

    for key in old_keys:
        commit = commits.pop(key)
        commit.repo = replace(
            commit.repo,
            owner=new.owner,
            name=new.name,
            url=new.url,
        )
        pinned = key[3]
        new_key = new.source, new.owner, new.name, pinned
        # a commit that is known under both names stays as the new one has it
        commits.setdefault(new_key, commit)


def select_commits(commits: Iterable[Commit], tasks: Container[int]) -> list[Commit]:
    """Return the commits that one of `tasks` has found."""
    return [commit for commit in commits if any(task in tasks for task in commit.tasks)]


def list_unit_digests(kernels: Iterable[Kernel]) -> set[str]:
    """Return the digests of the units of kernels."""
    return {kernel.unit.digest for kernel in kernels if kernel.unit}


def replace_first_units(commit: Commit, kernels: Iterable[Kernel]) -> list[Kernel]:
    """Replace kernels that syntax alone has shown, and return those that came in their place."""
    new_kernels = []
    for kernel in kernels:
        replaced = [
            stored_kernel
            for stored_kernel in commit.kernels
            if _is_shown_by(stored_kernel, kernel)
        ]
        if replaced:
            remaining = [
                stored_kernel
                for stored_kernel in commit.kernels
                if stored_kernel not in replaced
            ]
            commit.kernels = [*remaining, kernel]
            new_kernels.append(kernel)

    return new_kernels


def _is_shown_by(first: Kernel, parsed: Kernel) -> bool:
    if first.unit or first.found_by is not Layer.SYNTACTIC:
        return False

    if (first.span.path, first.name) != (parsed.span.path, parsed.name):
        return False

    return (
        first.span.line <= parsed.span.end_line
        and parsed.span.line <= first.span.end_line
    )
