"""Headers in front of preprocessed sources, compiled once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from crawler import cache, process
from crawler.process import CompletedProcess
from crawler.toolchains import discovery
from crawler.validate.programs.host_build.shared_prefix import (
    PrefixCompiler,
    is_refused,
    split_source,
)

PREFIX = """# 1 "/checkout/a.cu"
# 1 "<built-in>" 1
# 1 "/headers/ours.h" 1 3
template <class T> T twice(T value) { return value + value; }
"""
TEMPLATE = """# 1 "/headers/ours.h" 3
template <class T> T twice(T value) { return value + value; }
"""
ENTERED = '# 1 "/checkout/b.h" 1\nint b = twice(2);\n# 2 "/checkout/a.cu" 2\nint a;\n'
RETURNED = '# 1 "/checkout/a.cu" 2\nint a = twice(3);\n'


@pytest.mark.parametrize("rest", [ENTERED, RETURNED])
def test_a_source_is_split_where_the_project_has_its_first_line(rest: str) -> None:
    source = split_source(PREFIX + rest)

    assert source.prefix == TEMPLATE
    # there is nothing in front of it that it could return from
    assert source.rest == rest.replace('" 1\n', '"\n').replace('" 2\n', '"\n')


def test_sources_share_what_their_project_s_headers_include_first() -> None:
    nested = (
        '# 1 "/checkout/b.cu"\n# 1 "/checkout/kernels.cuh" 1\n\n\n'
        '# 1 "/checkout/helper.hpp" 1\n# 1 "/headers/ours.h" 1 3\n'
        "template <class T> T twice(T value) { return value + value; }\n"
        '# 4 "/checkout/helper.hpp" 2\n\n# 5 "/checkout/kernels.cuh" 2\nint b;\n'
    )

    source = split_source(nested)

    assert source.prefix == split_source(PREFIX + RETURNED).prefix
    assert source.rest == (
        '# 4 "/checkout/helper.hpp"\n\n# 5 "/checkout/kernels.cuh"\nint b;\n'
    )


def test_a_pragma_of_the_project_is_in_front_of_no_header() -> None:
    pragma = '# 1 "/checkout/b.cu"\n#pragma pack(1)\n# 1 "/headers/c.h" 1 3\nint c;\n'

    assert split_source(pragma).prefix == ""


def test_sources_share_a_prefix_where_a_last_small_header_differs() -> None:
    large = f'# 1 "/headers/large.h" 1 3\nint large{"e" * 500};\n'
    small = '# 1 "/headers/small.h" 1 3\nint small;\n'
    beginning = '# 1 "/checkout/a.cu"\n'
    between = '# 2 "/checkout/a.cu" 2\n'

    source = split_source(beginning + large + between + small + RETURNED)

    assert source.prefix == split_source(beginning + large + RETURNED).prefix
    assert "int small;" in source.rest


def test_a_header_that_was_included_before_makes_no_other_prefix() -> None:
    repeated = PREFIX + '# 2 "/checkout/a.cu" 2\n# 1 "/headers/guarded.h" 1 3\n\n'

    source = split_source(repeated + RETURNED)

    assert source.prefix == split_source(PREFIX + RETURNED).prefix


@pytest.mark.parametrize("text", ["", "int a;\n", '# 1 "/checkouts/a.cu" 1\nint a;\n'])
def test_a_source_without_the_project_stays_whole(text: str) -> None:
    source = split_source(text)

    assert (source.prefix, source.rest) == ("", text)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A precompiled header names a file of its test's folder, which later tests may not find."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(cache, "ensure_cache_folder", lambda: folder)


def make_compiler(work: Path) -> PrefixCompiler:
    clang = discovery.find_clang()
    assert clang is not None

    def run(argv: Sequence[str], result: str) -> CompletedProcess:
        return process.run(argv, cwd=work)

    return PrefixCompiler(
        compiler=clang.path, flags=("-std=c++17", "-O1"), work=work, run=run
    )


def compile_source(
    compiler: PrefixCompiler, text: str, flags: Sequence[str]
) -> CompletedProcess:
    (compiler.work / "a.ii").write_text(text)
    language = ("-x", "c++-cpp-output", "-c", "a.ii", "-o", "a.o")
    argv = (str(compiler.compiler), *compiler.flags, *flags, *language)
    return process.run(argv, cwd=compiler.work)


@pytest.mark.apt
@pytest.mark.parametrize("rest", [ENTERED, RETURNED])
def test_a_source_compiles_behind_its_precompiled_prefix(
    tmp_path: Path, rest: str
) -> None:
    compiler = make_compiler(tmp_path)
    source = split_source(PREFIX + rest)

    flags = compiler.precompile(source.prefix)

    assert flags
    completed = compile_source(compiler, source.rest, flags)
    assert completed.exit_code == 0, completed.text


@pytest.mark.apt
def test_a_prefix_that_does_not_compile_is_done_without(tmp_path: Path) -> None:
    assert make_compiler(tmp_path).precompile("int f( {\n") == ()


@pytest.mark.apt
def test_a_header_of_other_flags_is_refused_and_an_error_of_the_source_is_not(
    tmp_path: Path,
) -> None:
    compiler = make_compiler(tmp_path)
    source = split_source(PREFIX + RETURNED)
    flags = compiler.precompile(source.prefix)

    other = compile_source(compiler, source.rest, (*flags, "-std=c++20"))
    wrong = compile_source(compiler, f"{source.rest}int a;\n", flags)

    assert is_refused(other)
    assert wrong.exit_code != 0
    assert not is_refused(wrong)
