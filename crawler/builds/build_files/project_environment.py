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
from crawler.checkout.source_tree import SourceTree
from crawler.model import ProjectEnvironment, VersionConflict, VersionRequirement

_TORCH_RELEASES: Final = (
    *(f"2.{minor}.0" for minor in range(12, -1, -1)),
    *(f"1.{minor}.0" for minor in range(13, 3, -1)),
)
_RELEASES: Final = {
    "torch": _TORCH_RELEASES,
    "numpy": ("2.2.0", "1.26.4", "1.24.4", "1.23.5", "1.19.5"),
    "setuptools": ("80.9.0", "69.5.1", "59.5.0"),
    "cuda": ("13.0", "12.8", "12.4", "12.1", "11.8", "11.6", "11.3", "10.2"),
    "rocm": ("7.0.0", "6.2.0", "6.0.0", "5.7.0", "5.6.0", "5.4.0", "4.5.0"),
}
"""Releases that stand-ins can say to be, newest first."""
_NEWEST: Final = "99.0.0"
"""Stands for whatever is newest; it fulfils a requirement without an upper bound."""
_FIRST_WITHOUT_PKG_RESOURCES: Final = "81"
_FIRST_TORCH_FOR_NUMPY_2: Final = Version("2.3")


@lru_cache(maxsize=4)
def read_project_environment(tree: SourceTree) -> ProjectEnvironment:
    """Read what the project requires from its metadata; nothing is run."""
    requirements = tuple(find_version_requirements(tree))
    conflicts = tuple(_find_general_conflicts(requirements, tree))
    return ProjectEnvironment(requirements=requirements, conflicts=conflicts)


def choose_stand_in_versions(project: ProjectEnvironment) -> dict[str, str]:
    """Return the version that each stand-in must report, where the newest does not do.

    It is the newest release that the requirements allow.
    """
    versions = {}
    for name in _RELEASES:
        version = _choose_version(project.requirements, name)
        if version not in ("", _NEWEST):
            versions[name] = version

    return versions


def find_version_conflicts(
    project: ProjectEnvironment, installed: Mapping[str, str]
) -> Iterator[VersionConflict]:
    """Yield where an installed version (by name) is not what the project requires."""
    for name, version in installed.items():
        requirement = _find_violated(project.requirements, name, version)
        if requirement is None:
            continue

        required = f"{name} {requirement.asked}"
        yield VersionConflict(
            name=name,
            message=f"{requirement.evidence} asks for {required}, here is {version}",
            remedy=f"use {required}, in a container or an environment of its own",
        )


def describe_environment(
    project: ProjectEnvironment, installed: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield rows for a person: what is required, and what conflicts."""
    for requirement in project.requirements:
        title = f"asks for {requirement.name}"
        text = f"{requirement.asked} ({requirement.evidence})"
        yield title, text

    installed_conflicts = find_version_conflicts(project, installed)

    for conflict in (*project.conflicts, *installed_conflicts):
        text = f"{conflict.message}: {conflict.remedy}"
        if conflict.resolved:
            text += "; the stand-ins answer for it"

        yield "conflict", text


def _find_violated(
    requirements: Sequence[VersionRequirement], name: str, version: str
) -> VersionRequirement | None:
    for requirement in requirements:
        if requirement.name == name and not _allows(requirement.asked, version):
            return requirement

    return None


def _find_general_conflicts(
    requirements: Sequence[VersionRequirement], tree: SourceTree
) -> Iterator[VersionConflict]:
    """Yield what conflicts on any machine with today's releases."""
    user = find_pkg_resources_import(tree)
    if user and not _is_held_below(
        requirements, "setuptools", _FIRST_WITHOUT_PKG_RESOURCES
    ):
        yield VersionConflict(
            name="setuptools",
            message=f"{user} imports pkg_resources, which setuptools 81 no longer has",
            remedy="install setuptools<81",
            resolved=True,
        )

    # torch before 2.3 was compiled against the ABI of numpy 1
    torch = _choose_version(requirements, "torch")
    needs_old_numpy = bool(torch) and Version(torch) < _FIRST_TORCH_FOR_NUMPY_2

    if needs_old_numpy and not _is_held_below(requirements, "numpy", "2"):
        yield VersionConflict(
            name="numpy",
            message=f"torch {torch} is asked for, which was built for numpy 1",
            remedy="install numpy<2",
            resolved=True,
        )

    yield from _find_disagreements(requirements)


def _find_disagreements(
    requirements: Sequence[VersionRequirement],
) -> Iterator[VersionConflict]:
    """Yield the toolkits of which a project's own files pin different major versions."""
    for name in ("rocm", "cuda"):
        pins_by_major: dict[str, VersionRequirement] = {}
        for requirement in requirements:
            if requirement.name == name and requirement.asked.startswith("=="):
                major = requirement.asked[2:].split(".")[0]
                pins_by_major[major] = requirement

        if len(pins_by_major) < 2:
            continue

        pins = [
            f"{requirement.asked[2:]} ({requirement.evidence})"
            for _, requirement in sorted(pins_by_major.items())
        ]

        yield VersionConflict(
            name=name,
            message=f"different {name} versions are asked for: {' and '.join(pins)}",
            remedy=f"build with each {name} in a container of its own",
        )


def _choose_version(requirements: Sequence[VersionRequirement], name: str) -> str:
    """Return the newest version that the requirements of `name` allow.

    Requirements are in the order of trust: one that contradicts those before it is passed
    over. Empty where nothing is required.
    """
    specifiers = [
        requirement.asked for requirement in requirements if requirement.name == name
    ]
    if not specifiers:
        return ""

    # an exact version is a candidate, too: `torch==2.0.1+cu118` is 2.0.1
    pinned = [
        specifier[2:].removesuffix(".*").partition("+")[0]
        for specifier in specifiers
        if specifier.startswith("==")
    ]

    candidates = [
        version
        for version in (_NEWEST, *pinned, *_RELEASES[name])
        if _is_version(version)
    ]

    for specifier in specifiers:
        # keeps the candidates where a requirement contradicts those before
        allowed = [version for version in candidates if _allows(specifier, version)]
        if allowed:
            candidates = allowed

    return max(candidates, key=Version)


def _is_held_below(
    requirements: Sequence[VersionRequirement], name: str, version: str
) -> bool:
    """Tell whether a file of the project already keeps a library below a version."""
    for requirement in requirements:
        if requirement.name != name:
            continue

        allows_version = _allows(requirement.asked, version)
        if not allows_version and not _allows(requirement.asked, _NEWEST):
            return True

    return False


def _allows(specifier: str, version: str) -> bool:
    """Tell whether a specifier contains a version; what cannot be read allows every one."""
    # a local version such as `2.4.0+cpu` names a variant of the same release
    specifier = specifier.partition("+")[0]
    try:
        if SpecifierSet(specifier).contains(version, prereleases=True):
            return True
        # `==12.1` of a container is a release with any patch level
        if not _pins_release(specifier):
            return False

        return SpecifierSet(f"{specifier}.*").contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return True


def _pins_release(specifier: str) -> bool:
    """Tell whether a specifier names one release without its patch level: `==12.1`."""
    if not specifier.startswith("=="):
        return False
    if "," in specifier or "*" in specifier:
        return False

    return specifier.count(".") <= 1


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False

    return True
