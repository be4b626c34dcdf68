"""The C++ standard of a command, from the parse to both dialects' compilers and to what is
exported.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.cpp import language_standard
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import CompileCommand, Dialect, FlagsOrigin, KernelUnit, Status
from crawler.port.port import port_unit
from crawler.validate.build import build_unit
from workers.local.unit_file import read_unit

NEW = """template <typename T> concept Small = sizeof(T) <= 4;
template <Small T> __global__ void k(T* out) { out[threadIdx.x] = T{1}; }
template __global__ void k<float>(float*);
"""
OLD = "__global__ void k(float* out) { out[threadIdx.x] = 1; }\n"


def unit(root: Path, text: str, *flags: str) -> KernelUnit:
    (root / "k.cu").write_text(text)
    command = CompileCommand(
        directory=".",
        file="k.cu",
        arguments=flags,
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.EXPORTED,
    )
    (kernel,) = link_kernels([extract_unit_facts(root, command)])
    assert kernel.unit
    return kernel.unit


@pytest.mark.apt("clang-19")
def test_a_unit_is_compiled_as_its_project_asks(tmp_path: Path) -> None:
    newer = unit(tmp_path, NEW, "-std=c++20")
    assert newer.standard == "c++20"
    for variant, target in ((newer, "sm_80"), (port_unit(newer), "gfx90a")):
        made = build_unit(variant, target).build
        assert (made.pass_call.status, made.pass_call.message) == (Status.PASS, "")


def test_the_text_says_what_is_unusual_and_two_standards_are_two_units(
    tmp_path: Path,
) -> None:
    usual, newer = (
        unit(tmp_path, OLD, "-std=c++14"),
        unit(tmp_path, OLD, "--std=gnu++2a"),
    )
    assert usual.source.startswith("#include")
    assert usual.standard == "c++17"
    assert newer.source == "// -std=c++20\n" + usual.source
    assert newer.digest != usual.digest
    assert newer.token_digest == usual.token_digest


def test_a_unit_read_from_a_file_has_the_standard_that_it_says(tmp_path: Path) -> None:
    (tmp_path / "unit.cu").write_text(unit(tmp_path, OLD, "-std=c++23").source)
    assert read_unit(tmp_path / "unit.cu").standard == "c++23"
    assert (
        language_standard.read_recorded_standard("// -std=c++20 -include /etc/passwd\n")
        == language_standard.DEFAULT_STANDARD
    )


@pytest.mark.apt("clang-19")
def test_typeof_is_a_word_under_every_standard(tmp_path: Path) -> None:
    text = "__global__ void k(int* out) { *(volatile typeof(*out)*)out = 1; }\n"
    kernel = unit(tmp_path, text, "-std=c++17")
    for variant, target in ((kernel, "sm_80"), (port_unit(kernel), "gfx90a")):
        made = build_unit(variant, target).build
        assert (made.pass_call.status, made.pass_call.message) == (Status.PASS, "")
