"""Fetch the headers that a project's device code includes of other repositories, where the
project declares these.
"""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, cast

from crawler.checkout.dependencies import is_named_like, write_report
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import SourceTree, open_tree
from crawler.errors import CrawlError, Misconfigured, OptedOut
from crawler.licences.detection import detect_repository_licence
from crawler.model import ADDRESS_REFUSED, DEPENDENCY_FOLDER, Dependency, Repo
from crawler.plugins import load_plugins
from crawler.sources.dependencies.addresses import (
    find_remote,
    make_printable,
    strip_address,
)
from crawler.sources.dependencies.debian_headers import fetch_debian_headers
from crawler.sources.dependencies.interface import (
    DeclaredDependency,
    DependencyDeclarer,
)
from crawler.sources.dependencies.missing_headers import find_missing_headers
from crawler.sources.git_client.headers import fetch_headers
from crawler.sources.git_client.remote import Remote
from crawler.sources.git_client.resolve import resolve_commit
from crawler.sources.interface import Limits, SourceOptions

_MAX_DECLARED: Final = 500
"""Repositories of a project that are considered at all."""
_MAX_NAME_BYTES: Final = 100
_MAX_URL: Final = 500
_MAX_REF: Final = 200
_MAX_LICENCE: Final = 1_000
_MAX_DEPTH: Final = 3
"""A dependency may itself declare others."""
_MAX_ASKED: Final = 16
"""Repositories that are asked for one project, whatever they have."""
_MAX_REFUSED: Final = 64
"""Addresses that are not asked, and of which a project's report tells."""
_LIMITS: Final = Limits(
    download_bytes=64 << 20,
    unpacked_bytes=64 << 20,
    file_bytes=4 << 20,
    files=50_000,
    seconds=120.0,
)
"""Of one dependency."""
_MAX_SECONDS: Final = 600.0
"""Of all of them."""
_MAX_BYTES: Final = 128 << 20
_DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_UNREACHABLE: Final = frozenset({"host-not-found", "network-down", "timed-out"})


def list_declarers() -> tuple[DependencyDeclarer, ...]:
    """Return every way of declaring that is known, in their order."""
    plugins = load_plugins("crawler.sources.dependencies.declarers")
    return cast("tuple[DependencyDeclarer, ...]", plugins)


def fetch_dependencies(
    root: Path, options: SourceOptions, submodule_commits: Mapping[str, str]
) -> tuple[Dependency, ...]:
    """Put the headers that device code below `root` lacks into a folder there, as far as the
    project declares whose they are, and those of Debian's packages where options say so; return
    what came of each repository and package that was asked.

    `submodule_commits` are those of the submodules that were not fetched, by folder. Nothing
    here fails a project: what cannot be had is returned with its reason.
    """
    # what a project itself calls so would be taken for another's
    shutil.rmtree(root / DEPENDENCY_FOLDER, ignore_errors=True)
    dependencies: list[Dependency] = []
    if options.dependency_hosts:
        completion = _Completion(root, options, dict(submodule_commits))
        for _ in range(_MAX_DEPTH):
            if not completion.run_round():
                break

        dependencies += completion.dependencies.values()

    if options.debian_headers:
        dependencies += fetch_debian_headers(root, _LIMITS)
    if dependencies:
        write_report(root, dependencies)

    return tuple(dependencies)


@dataclass(slots=True)
class _Completion:
    """The dependencies of one project, as far as they are known."""

    root: Path
    options: SourceOptions
    submodule_commits: dict[str, str]
    dependencies: dict[str, Dependency] = field(default_factory=dict)
    """By name, in the order in which they were asked."""
    last_rounds: dict[str, int] = field(default_factory=dict)
    """The round in which each address was asked last."""
    refused_count: int = 0
    round: int = 0
    unreachable_hosts: set[str] = field(default_factory=set)
    bytes: int = 0
    """Of all headers that came."""
    deadline: float = field(default_factory=lambda: time.monotonic() + _MAX_SECONDS)

    def run_round(self) -> bool:
        """Ask for what is missing now; tell whether anything came."""
        self.round += 1
        tree = open_tree(self.root)
        all_declared = _list_declared(tree)
        # most projects declare nothing, and to read all sources takes long
        if not all_declared:
            return False

        missing = set(find_missing_headers(IncludeGraph(tree)))
        has_new_files = False
        for declared in _order_by_likelihood(all_declared, missing):
            if not missing:
                break
            if time.monotonic() > self.deadline or self.bytes > _MAX_BYTES:
                break

            found_headers = self._try(declared, missing)
            missing -= found_headers
            has_new_files |= bool(found_headers)

        return has_new_files

    def _try(
        self, declared: DeclaredDependency, missing: Collection[str]
    ) -> frozenset[str]:
        """Fetch what a declared repository has of the missing headers; return those."""
        if declared.name in self.dependencies:
            return frozenset()

        dependency = Dependency(
            name=declared.name,
            url=strip_address(declared.url),
            ref=make_printable(declared.ref[:_MAX_REF]),
        )
        commit = self.submodule_commits.get(declared.folder, "")
        remote = find_remote(
            replace(declared, ref=commit or declared.ref), self.options.dependency_hosts
        )
        if remote is None:
            self._refuse(dependency)
            return frozenset()
        if not self._may_ask(remote):
            return frozenset()

        found_headers: frozenset[str] = frozenset()
        try:
            dependency, found_headers = self._fetch(dependency, remote, missing)
        except Misconfigured:
            raise
        except CrawlError as error:
            if error.code in _UNREACHABLE:
                self.unreachable_hosts.add(_get_host(remote))
            dependency = replace(dependency, problem=error.code)
        except OSError as error:
            if error.errno in _DISK_FULL:
                raise
            # such as a file where the same tree has a folder
            dependency = replace(dependency, problem="bad-repository")

        if found_headers or dependency.problem:
            self.dependencies[declared.name] = dependency
        return found_headers

    def _refuse(self, dependency: Dependency) -> None:
        self.refused_count += 1
        if self.refused_count <= _MAX_REFUSED:
            refused = replace(dependency, problem=ADDRESS_REFUSED)
            self.dependencies[dependency.name] = refused

    def _may_ask(self, remote: Remote) -> bool:
        """Tell whether an address may be asked now, and count it: once in a round, whatever the
        names that it is declared by.
        """
        address = f"{remote.url}@{remote.ref}"
        is_new = address not in self.last_rounds
        if is_new and len(self.last_rounds) >= _MAX_ASKED:
            return False
        if self.last_rounds.get(address) == self.round:
            return False

        self.last_rounds[address] = self.round
        return True

    def _fetch(
        self, dependency: Dependency, remote: Remote, missing: Collection[str]
    ) -> tuple[Dependency, frozenset[str]]:
        if _get_host(remote) in self.unreachable_hosts:
            return replace(dependency, problem="network-down"), frozenset()

        self._reject_opted_out(remote)
        commit = _resolve(remote)
        dependency = replace(dependency, url=remote.url, commit=commit)
        folder = self.root / dependency.folder
        try:
            fetched = fetch_headers(remote, commit, missing, folder, _LIMITS)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

        if not fetched.includes:
            return dependency, frozenset()

        # a round later its own declarations are read, too
        self.submodule_commits = dict(fetched.submodules) | self.submodule_commits
        self.bytes += sum(file.stat().st_size for file in _iter_files(folder))
        licence = detect_repository_licence(folder).spdx
        # the report of all is bounded: so long an expression is none that anybody can follow
        licence = licence if len(licence) <= _MAX_LICENCE else ""
        return replace(dependency, licence=licence), fetched.includes

    def _reject_opted_out(self, remote: Remote) -> None:
        repo = Repo(
            source="github" if "github.com/" in remote.url else "git",
            owner=remote.owner,
            name=remote.name,
            url=remote.url,
            ref=remote.ref,
            commit="",
        )
        self.options.optouts.reject_if_covered(repo)


def _list_declared(tree: SourceTree) -> list[DeclaredDependency]:
    """Return what a tree declares, one of each name; nothing that is too long to be honest."""
    by_name: dict[str, DeclaredDependency] = {}
    for declarer in list_declarers():
        for declared in declarer.find_declared(tree):
            if len(by_name) >= _MAX_DECLARED:
                return list(by_name.values())
            if _is_file_name(declared.name) and len(declared.url) <= _MAX_URL:
                by_name.setdefault(declared.name.lower(), declared)

    return list(by_name.values())


def _order_by_likelihood(
    all_declared: Iterable[DeclaredDependency], missing: Collection[str]
) -> list[DeclaredDependency]:
    """Return what is declared, first what the missing headers are called like."""
    # all that a header's likeness is told by
    headers = {header.partition("/")[0] for header in missing}

    def is_unlikely(declared: DeclaredDependency) -> bool:
        repository = declared.url.rstrip("/").rpartition("/")[2]
        names = (declared.name, repository.removesuffix(".git"))
        return not any(
            is_named_like(name, header) for name in names for header in headers
        )

    return sorted(all_declared, key=is_unlikely)


def _resolve(remote: Remote) -> str:
    """Return the commit of a declared ref; of a version that has no such tag, the newest."""
    try:
        return resolve_commit(remote, _LIMITS)
    except OptedOut:
        raise
    except CrawlError as error:
        if error.code != "ref-not-found" or not remote.ref:
            raise

    # tags of versions are called `v1.2` and `1.2`
    other_ref = remote.ref[1:] if remote.ref.startswith("v") else ""
    return resolve_commit(replace(remote, ref=other_ref), _LIMITS)


def _iter_files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _get_host(remote: Remote) -> str:
    return remote.url.split("/")[2]


def _is_file_name(name: str) -> bool:
    return (
        name.isprintable()
        and 0 < len(name.encode()) <= _MAX_NAME_BYTES
        and not set(name) & set("/\\@ ")
        and not name.startswith(".")
    )
