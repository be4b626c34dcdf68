"""The libclang that parses is that of the compiler which judges."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from clang import cindex

from crawler.extract.clang.precompiled_preludes import clang_index
from crawler.toolchains import installed_libclang

CACHED = (
    installed_libclang.find_installed_libclang,
    installed_libclang.find_libclang_resource_dir,
)


@pytest.fixture
def no_installed_libclang(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(installed_libclang, "_TRIED_VERSIONS", ())
    for search in CACHED:
        search.cache_clear()
    yield
    for search in CACHED:
        search.cache_clear()


@pytest.mark.apt
def test_it_refuses_what_the_compiler_refuses() -> None:
    if shutil.which("clang++-19") is None:
        pytest.skip("clang is not installed: run `deploy/bootstrap`")

    # libclang 18, which comes with the bindings, looks at no member before it is instantiated
    source = "template <class T> struct A { int f() { return this->missing; } };"
    unit = clang_index().parse("a.cc", unsaved_files=[("a.cc", source)])
    spellings = [diagnostic.spelling for diagnostic in unit.diagnostics]
    assert spellings == ["no member named 'missing' in 'A<T>'"]
    assert str(installed_libclang.find_installed_libclang()) == cindex.conf.lib._name


@pytest.mark.apt
def test_its_headers_are_of_its_version() -> None:
    library = installed_libclang.find_installed_libclang()
    folder = installed_libclang.find_libclang_resource_dir()
    assert library is not None
    assert folder is not None
    assert folder.name in library.name


@pytest.mark.usefixtures("no_installed_libclang")
def test_without_one_the_bindings_load_their_own() -> None:
    assert installed_libclang.find_installed_libclang() is None
    assert installed_libclang.find_libclang_resource_dir() is not None
