"""HIP's pairs of halves have halves for members, also where an older HIP is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.toolchains import discovery
from crawler.toolchains.discovery import Rocm
from crawler.toolchains.hip_flags import get_hip_compile_flags
from crawler.toolchains.hip_pairs import find_pair_headers

RAW = "struct __half2_raw { union { struct { unsigned short x; unsigned short y; }; }; };\n"
PAIR = """struct __half2 {
  union { struct { unsigned short x; unsigned short y; }; };
  // CREATORS
};
unsigned short x;
#include "host_defines.h"
#include "hip/amd_detail/host_defines.h"
"""


def install(root: Path, header: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = root / "hip/amd_detail"
    folder.mkdir(parents=True)
    (folder / "amd_hip_fp16.h").write_text(header)
    rocm = Rocm(bitcode=Path("/bitcode"), include=root, version="5.2")
    monkeypatch.setattr(discovery, "find_rocm", lambda: rocm)


def test_members_of_a_pair_become_halves_and_nothing_else_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "rocm", RAW + PAIR, monkeypatch)

    folder = find_pair_headers()
    assert folder is not None
    assert (folder / "hip/amd_detail/amd_hip_fp16.h").read_text() == RAW + PAIR.replace(
        "struct { unsigned short x; unsigned short y; }",
        "struct { __half x; __half y; }",
    ).replace('"host_defines.h"', "<hip/amd_detail/host_defines.h>")
    flags = get_hip_compile_flags("gfx90a")
    assert flags.index(f"-I{folder}") < flags.index(f"-isystem{tmp_path / 'rocm'}")


@pytest.mark.parametrize("header", ["", RAW, PAIR.replace("unsigned short", "__half")])
def test_a_header_that_needs_no_change_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    install(tmp_path / "rocm", header, monkeypatch)

    assert find_pair_headers() is None


def test_without_rocm_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "find_rocm", lambda: None)

    assert find_pair_headers() is None
