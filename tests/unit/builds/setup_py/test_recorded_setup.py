from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.setup_py.recorded_setup import (
    RecordedCompilation,
    RecordedExtension,
    RecordedSetup,
)
from crawler.model import Dialect


def make_arguments(dialect: Dialect = Dialect.CUDA, **fields: Any) -> list[str]:
    fields = {"sources": ["a.cu"], **fields}
    (entry,) = RecordedExtension(**fields).make_entries(dialect)
    return entry.arguments or []


@pytest.mark.parametrize(
    ("source", "dialect", "compiler"),
    [
        ("a.cu", Dialect.CUDA, "nvcc"),
        ("a.cu", Dialect.HIP, "hipcc"),
        ("a.cpp", Dialect.CUDA, "g++"),
        ("a.cpp", Dialect.HIP, "g++"),
    ],
)
def test_a_source_is_compiled_as_torch_would(
    source: str, dialect: Dialect, compiler: str
) -> None:
    arguments = make_arguments(dialect, sources=[source])
    assert (arguments[0], arguments[-1]) == (compiler, source)
    assert ("-DUSE_ROCM=1" in arguments) is (dialect is Dialect.HIP)
    assert "-std=c++17" in arguments


def test_half_operators_are_off_as_torch_has_them() -> None:
    assert "-D__CUDA_NO_HALF_OPERATORS__" in make_arguments()
    assert "-D__HIP_NO_HALF_OPERATORS__=1" in make_arguments(Dialect.HIP)


def test_flags_are_those_of_the_compiler() -> None:
    flags = {"nvcc": ["-O2"], "cxx": ["-O1"]}
    assert "-O2" in make_arguments(extra_compile_args=flags)
    host_arguments = make_arguments(sources=["a.cpp"], extra_compile_args=flags)
    assert "-O1" in host_arguments
    assert "-O2" not in host_arguments
    assert "-O3" in make_arguments(extra_compile_args="-O3")


def test_a_standard_of_the_projects_own_stays_alone() -> None:
    arguments = make_arguments(extra_compile_args=["-std=c++20"])
    assert [word for word in arguments if "std=" in word] == ["-std=c++20"]
    assert not [word for word in make_arguments(sources=["a.c"]) if "std=" in word]


def test_macros_and_folders_are_flags() -> None:
    arguments = make_arguments(
        name="pkg.ops._C",
        define_macros=[["A", None], ["B", 1], ["odd"], "C"],
        undef_macros=["NDEBUG", 3],
        include_dirs=["include", "", None],
    )
    assert arguments[-7:-1] == [
        "-DTORCH_EXTENSION_NAME=_C",
        "-DA",
        "-DB=1",
        "-UNDEBUG",
        "-Iinclude",
        "-std=c++17",
    ]


def test_what_is_no_source_has_no_entry() -> None:
    sources = ["a.txt", "-o.cu", 3, None, ["a.cu"], "b.cu"]
    entries = RecordedExtension(sources=sources).make_entries(Dialect.CUDA)
    assert [entry.file for entry in entries] == ["b.cu"]


def test_an_odd_folder_is_that_of_the_checkout() -> None:
    extension = RecordedExtension(sources=["a.cu"], directory=["/src"])
    (entry,) = extension.make_entries(Dialect.CUDA)
    assert entry.directory == "."


def test_a_compilation_has_an_entry_for_each_source() -> None:
    words = ["nvcc", "-c", "a.cu", "b.cpp", "-o", "a.o"]
    compilation = RecordedCompilation(directory="/src", arguments=words)
    assert [entry.file for entry in compilation.make_entries()] == ["a.cu", "b.cpp"]


def test_declared_extensions_come_before_started_compilers() -> None:
    recorded = RecordedSetup(
        extensions=[RecordedExtension(sources=["a.cu", "b.cu"])],
        compiled=[RecordedCompilation(directory="/src", arguments=["nvcc", "c.cu"])],
    )
    files = [entry.file for entry in recorded.make_entries(Dialect.CUDA)]
    assert files == ["a.cu", "b.cu", "c.cu"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("a.cu"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner)
    ),
    max_leaves=6,
)


@given(JSON, JSON, JSON, JSON, JSON)
def test_no_record_breaks_it(
    name: Any, directory: Any, sources: Any, macros: Any, flags: Any
) -> None:
    extension = RecordedExtension(
        name=name,
        directory=directory,
        sources=sources,
        define_macros=macros,
        include_dirs=macros,
        undef_macros=flags,
        extra_compile_args=flags,
    )
    for entry in extension.make_entries(Dialect.CUDA):
        assert entry.file == "a.cu"
        assert all(isinstance(word, str) for word in entry.arguments or ())
