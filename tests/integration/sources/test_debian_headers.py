"""Headers of Debian's packages, of a real archive and by apt itself, up to the kernel's unit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from crawler.errors import MissingTool
from crawler.model import DEPENDENCY_FOLDER, Dependency, FlagsOrigin
from crawler.sources.dependencies.completion import fetch_dependencies
from crawler.sources.interface import SourceOptions
from tests.integration.sources.declared_library import LIBRARY, extract
from tests.servers.debian_archive import add_search_program, make_archive

pytestmark = pytest.mark.apt("apt-get", "dpkg-deb")

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
License: Expat

Files: src/table.c
License: GPL-3+
"""
PACKAGES = {
    "liblib-dev_1:1.2-1": {
        "usr/include/lib/types.h": LIBRARY["include/lib/types.h"],
        "usr/include/lib/detail/twice.cuh": LIBRARY["include/lib/detail/twice.cuh"],
        "usr/share/doc/liblib-dev/copyright": COPYRIGHT,
    },
    # a copy deep below, as programs bring them along
    "viewer-dev_9-1": {"usr/include/viewer/own/lib/types.h": "#error not meant\n"},
}


def make_apt(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    packages: Mapping[str, Mapping[str, str]] = PACKAGES,
) -> None:
    archive = tmp_path / "archive"
    monkeypatch.setenv("APT_CONFIG", str(make_archive(archive, packages)))
    programs = add_search_program(tmp_path / "programs", archive)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    subprocess.run(["apt-get", "update"], check=True, capture_output=True)


def complete(root: Path) -> tuple[Dependency, ...]:
    return fetch_dependencies(root, SourceOptions(debian_headers=True), {})


def test_headers_of_a_package_are_in_the_unit(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_apt(tmp_path, monkeypatch)
    (dependency,) = complete(root)
    assert dependency == Dependency(
        name="liblib-dev",
        url="debian:liblib-dev",
        ref="1:1.2-1",
        commit="1_1.2-1",
        licence="MIT",
    )

    (kernel,) = extract(root)
    assert kernel.flags_origin is FlagsOrigin.COMPLETED
    assert kernel.unit is not None
    assert "struct Pair" in kernel.unit.source
    assert "return 2 * x" in kernel.unit.source
    folder = f"{DEPENDENCY_FOLDER}/liblib-dev@1_1.2-1/include"
    assert f"{folder}/lib/types.h" in {origin.path for origin in kernel.origins}
    assert "dependency:liblib-dev:1_1.2-1:MIT" in kernel.tags


def test_a_package_that_is_gone_stops_nothing_and_the_message_says_so(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = {f"{label}gone": files for label, files in PACKAGES.items()}
    make_apt(tmp_path, monkeypatch, packages)
    for archive in (tmp_path / "archive/pool").iterdir():
        archive.unlink()
    (dependency,) = complete(root)
    assert dependency.problem == "network-down"
    assert dependency.explain().startswith("Debian's liblib-dev, which could not be")


def test_an_apt_without_an_index_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = make_archive(tmp_path / "archive", PACKAGES)
    monkeypatch.setenv("APT_CONFIG", str(configuration))
    with pytest.raises(MissingTool, match="apt-get install apt-file"):
        complete(root)
