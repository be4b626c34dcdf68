"""Preludes that are compiled once for each compiler and its flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler import headers
from crawler.toolchains import discovery
from crawler.validate.toolchains.precompiled_headers import (
    find_prelude,
    precompile_prelude,
    precompiled_key,
)

PRELUDE = "kernelset/cuda.cuh"


def find_compiler() -> Path:
    clang = discovery.find_clang()
    assert clang is not None
    return clang.path


@pytest.mark.parametrize(
    ("source", "prelude"),
    [
        ("#include <kernelset/cuda.cuh>\nint x;", "kernelset/cuda.cuh"),
        ("\n  # include<kernelset/torch.hip.h>", "kernelset/torch.hip.h"),
        ("// of a project\n#include <kernelset/hip.h>", "kernelset/hip.h"),
        ("#include <vector>\n#include <kernelset/hip.h>", ""),
        ('#include "kernelset/hip.h"', ""),
        ("#include <kernelset/../../etc passwd>", ""),
        ("", ""),
    ],
)
def test_a_unit_begins_with_a_prelude_of_ours_or_has_none(
    source: str, prelude: str
) -> None:
    assert find_prelude(source) == prelude


def test_a_header_that_is_none_of_ours_is_not_compiled() -> None:
    flags = ("-x", "cuda", "-I/usr/include")
    assert precompile_prelude("kernelset/cuda.cuh", find_compiler(), flags) is None
    own_flags = (f"-I{headers.ROOT}/common",)
    assert precompile_prelude("kernelset/none.h", find_compiler(), own_flags) is None


def test_a_compiler_that_fails_is_asked_once(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    compiler = tmp_path / "clang"
    compiler.write_text(f"#!/bin/sh\necho call >> {calls}\nexit 1\n")
    compiler.chmod(0o755)
    (tmp_path / "kernelset").mkdir()
    tree = next(
        path.parent.parent
        for path in headers.list_header_files()
        if path.as_posix().endswith(PRELUDE)
    )
    for _ in range(2):
        assert precompile_prelude(PRELUDE, compiler, (f"-I{tree}",)) is None
    assert calls.read_text() == "call\n"


def test_a_key_is_of_prelude_compiler_and_flags() -> None:
    keys = {
        precompiled_key(PRELUDE, Path("/usr/bin/clang"), ("-O2",)),
        precompiled_key("kernelset/hip.h", Path("/usr/bin/clang"), ("-O2",)),
        precompiled_key(PRELUDE, Path("/opt/clang"), ("-O2",)),
        precompiled_key(PRELUDE, Path("/usr/bin/clang"), ("-O3",)),
    }
    assert len(keys) == 4
    assert all(len(key) == 64 for key in keys)
