"""Versions of Python, torch, CUDA and ROCm that a project requires, and their conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from crawler.builds.build_files.version_requirements import (
    find_pkg_resources_import,
    find_version_requirements,
)
from crawler.builds.checkout.source_tree import SourceTree
from crawler.model import ProjectEnvironment, VersionConflict, VersionRequirement

_TORCHES: Final = (
    *(f"2.{minor}.0" for minor in range(12, -1, -1)),
    *(f"1.{minor}.0" for minor in range(13, 3, -1)),
)
_NUMPYS: Final = ("2.2.0", "1.26.4", "1.24.4", "1.23.5", "1.19.5")
_SETUPTOOLS: Final = ("80.9.0", "69.5.1", "59.5.0")
_CUDAS: Final = ("13.0", "12.8", "12.4", "12.1", "11.8", "11.6", "11.3", "10.2")
_ROCMS: Final = ("7.0.0", "6.2.0", "6.0.0", "5.7.0", "5.6.0", "5.4.0", "4.5.0")
_RELEASES: Final = {
    "torch": _TORCHES,
    "numpy": _NUMPYS,
    "setuptools": _SETUPTOOLS,
    "cuda": _CUDAS,
    "rocm": _ROCMS,
}
_NEWEST: Final = "99.0.0"
_FIRST_WITHOUT_PKG_RESOURCES: Final = "81"
_FIRST_TORCH_FOR_NUMPY_2: Final = Version("2.3")


@lru_cache(maxsize=4)
def read_project_environment(tree: SourceTree) -> ProjectEnvironment:
    """Read what the project asks for from its metadata; nothing is run."""
    asked = tuple(find_version_requirements(tree))
    return ProjectEnvironment(
        requirements=asked, conflicts=tuple(_conflicts(asked, tree))
    )


def choose_stand_in_versions(project: ProjectEnvironment) -> dict[str, str]:
    """Return the versions that stand-ins say to have: the newest that is asked for, where the
    newest of all is not.
    """
    found = {name: _suited(project.requirements, name) for name in _RELEASES}
    return {
        name: version for name, version in found.items() if version not in ("", _NEWEST)
    }


def find_version_conflicts(
    project: ProjectEnvironment, installed: Mapping[str, str]
) -> Iterator[VersionConflict]:
    """Yield where what a machine has (`installed`, by name) is not what the project asks for."""
    for name, version in installed.items():
        wrong = [
            one
            for one in project.requirements
            if one.name == name and not _holds(one.asked, version)
        ]
        if wrong:
            yield VersionConflict(
                name=name,
                message=f"{wrong[0].evidence} asks for {name} {wrong[0].asked}, here is {version}",
                remedy=f"use {name} {wrong[0].asked}, in a container or an environment of its own",
            )


def describe_environment(
    project: ProjectEnvironment, installed: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield rows for a person: what is asked for, and what clashes."""
    for one in project.requirements:
        yield f"asks for {one.name}", f"{one.asked} ({one.evidence})"
    for conflict in (*project.conflicts, *find_version_conflicts(project, installed)):
        end = "; the stand-ins answer for it" if conflict.resolved else ""
        yield "conflict", f"{conflict.message}: {conflict.remedy}{end}"


def _conflicts(
    asked: Sequence[VersionRequirement], tree: SourceTree
) -> Iterator[VersionConflict]:
    """Yield what clashes on any machine with today's releases."""
    if (user := find_pkg_resources_import(tree)) and not _bounded(
        asked, "setuptools", _FIRST_WITHOUT_PKG_RESOURCES
    ):
        yield VersionConflict(
            name="setuptools",
            message=f"{user} imports pkg_resources, which setuptools 81 no longer has",
            remedy="install setuptools<81",
            resolved=True,
        )
    torch = _suited(asked, "torch")
    if (
        torch
        and Version(torch) < _FIRST_TORCH_FOR_NUMPY_2
        and not _bounded(asked, "numpy", "2")
    ):
        yield VersionConflict(
            name="numpy",
            message=f"torch {torch} is asked for, which was built for numpy 1",
            remedy="install numpy<2",
            resolved=True,
        )
    yield from _disagreements(asked)


def _disagreements(asked: Sequence[VersionRequirement]) -> Iterator[VersionConflict]:
    """Yield the toolkits of which a project's own files pin different major versions."""
    for name in ("rocm", "cuda"):
        pinned = {
            one.asked[2:].split(".")[0]: one
            for one in asked
            if one.name == name and one.asked.startswith("==")
        }
        if len(pinned) > 1:
            said = " and ".join(
                f"{one.asked[2:]} ({one.evidence})" for _, one in sorted(pinned.items())
            )
            yield VersionConflict(
                name=name,
                message=f"different {name} versions are asked for: {said}",
                remedy=f"build with each {name} in a container of its own",
            )


def _suited(asked: Sequence[VersionRequirement], name: str) -> str:
    """Return a version that holds for what is asked, the earlier evidence first; empty where
    nothing is asked.
    """
    specifiers = [one.asked for one in asked if one.name == name]
    if not specifiers:
        return ""
    pinned = [
        one[2:].removesuffix(".*").partition("+")[0]
        for one in specifiers
        if one.startswith("==")
    ]
    left = [
        version
        for version in (_NEWEST, *pinned, *_RELEASES[name])
        if _is_version(version)
    ]
    for specifier in specifiers:
        left = [version for version in left if _holds(specifier, version)] or left
    return max(left, key=Version) if left else ""


def _bounded(asked: Sequence[VersionRequirement], name: str, version: str) -> bool:
    """Tell whether a file already keeps a library below a version."""
    return any(
        one.name == name
        and not _holds(one.asked, version)
        and not _holds(one.asked, _NEWEST)
        for one in asked
    )


def _holds(specifier: str, version: str) -> bool:
    specifier = specifier.partition("+")[0]
    try:
        asked = SpecifierSet(specifier)
        # `==12.1` of a container is a release with any patch level
        loose = SpecifierSet(f"{specifier}.*") if _pins_a_release(specifier) else asked
        return asked.contains(version, prereleases=True) or loose.contains(
            version, prereleases=True
        )
    except (InvalidSpecifier, InvalidVersion):
        return True


def _pins_a_release(specifier: str) -> bool:
    return (
        specifier.startswith("==")
        and "," not in specifier
        and specifier.count(".") <= 1
        and "*" not in specifier
    )


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
