"""What every header library must say of itself, whichever plugins there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from license_expression import get_spdx_licensing

from crawler.libraries.discovery import find_claiming, find_installed, list_known
from crawler.libraries.interface import HeaderLibrary
from crawler.libraries.version_macros import UNKNOWN_VERSION
from crawler.plugins import load_plugins

each_library = pytest.mark.parametrize(
    "library",
    load_plugins("crawler.libraries.known"),
    ids=lambda library: library.name,
)


def test_there_is_one() -> None:
    assert list_known()


def test_no_two_claim_one_include() -> None:
    prefixes = [prefix for library in list_known() for prefix in library.prefixes]
    assert sorted(set(prefixes)) == sorted(prefixes)


@each_library
def test_its_includes_are_its_own(library: HeaderLibrary) -> None:
    for prefix in library.prefixes:
        assert prefix.endswith("/")
        assert find_claiming(f"<{prefix}a/b.h>") is library


@each_library
def test_it_says_what_it_is(library: HeaderLibrary) -> None:
    assert library.title
    assert library.dialects
    assert library.namespaces
    assert not get_spdx_licensing().validate(library.licence).errors


@each_library
def test_it_is_in_no_empty_folder(library: HeaderLibrary, tmp_path: Path) -> None:
    assert library.find_in(tmp_path) is None
    assert library.find_in(tmp_path / "nowhere") is None
    for prefix in library.prefixes:
        (tmp_path / prefix).mkdir(parents=True)
    assert library.find_in(tmp_path) is None


@each_library
def test_where_it_is_installed_it_has_a_version_and_folders(
    library: HeaderLibrary,
) -> None:
    installed = find_installed(library.name)
    if installed is None:
        pytest.skip(f"{library.title} is not installed")

    assert installed.name == library.name
    assert installed.version != UNKNOWN_VERSION
    prefixes = {f"{name}/" for name, _ in installed.parts}
    assert set(library.prefixes) & prefixes
    assert all(folder.is_dir() for _, folder in installed.parts)


@pytest.mark.apt
@each_library
def test_what_bootstrap_installs_is_found(library: HeaderLibrary) -> None:
    assert find_installed(library.name) is not None or not library.packages
