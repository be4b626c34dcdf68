"""A unit is parsed as often as its kernels and launches need, and no oftener."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang.skipped_ranges import find_skipped_ranges
from crawler.extract.passes.merge_passes import merge_uses
from crawler.extract.passes.parse_pass import ParsePass, read_pass
from crawler.extract.passes.pass_sequence import iter_completed_passes, iter_passes
from crawler.extract.unit.translation_unit import TranslationUnit, load_translation_unit

KERNEL = "template <class T> __global__ void scale(T *x) { x[0] = x[0] * T(2); }\n"
LAUNCH = "void run(float *x) { scale<<<1, 32>>>(x); }\n"


@pytest.fixture
def load(project: Callable[..., Any]) -> Callable[[str], TranslationUnit]:
    def load_text(text: str) -> TranslationUnit:
        planted = project({"a.cu": text})
        root: Path = planted.root
        return load_translation_unit(root, planted.commands[0], SourceFiles(root))

    return load_text


def list_passes(unit: TranslationUnit) -> list[ParsePass]:
    first_pass = read_pass(unit.clang_unit, unit)
    skipped_ranges = find_skipped_ranges(unit.clang_unit, unit.root, ".")
    return list(iter_passes(first_pass, unit, skipped_ranges))


def list_launched_types(passes: list[ParsePass]) -> list[tuple[str, ...]]:
    return [use.template_arguments for use in merge_uses(passes) if use.path]


def test_one_pass_is_enough_for_a_plain_unit(
    load: Callable[[str], TranslationUnit],
) -> None:
    unit = load(KERNEL + LAUNCH)
    passes = list_passes(unit)
    assert len(passes) == 1
    assert list(iter_completed_passes(passes[0], unit)) == []
    assert list_launched_types(passes) == [("float",)]


def test_a_launch_for_the_host_alone_takes_a_pass_of_the_host(
    load: Callable[[str], TranslationUnit],
) -> None:
    unit = load(f"{KERNEL}#ifndef __CUDA_ARCH__\n{LAUNCH}#endif\n")
    passes = list_passes(unit)
    assert len(passes) == 2
    assert list_launched_types(passes) == [("float",)]


def test_what_a_device_skips_without_a_launch_takes_none(
    load: Callable[[str], TranslationUnit],
) -> None:
    unit = load(f"{KERNEL}{LAUNCH}#ifndef __CUDA_ARCH__\nint plain();\n#endif\n")
    assert len(list_passes(unit)) == 1


def test_stubs_give_a_launch_its_types(load: Callable[[str], TranslationUnit]) -> None:
    launch = (
        "template <class T> struct Runner { lib::Tensor input;\n"
        "  void run(T *x) { scale<<<1, 32>>>(x); } };\n"
        "void go(float *x) { Runner<float> runner; runner.run(x); }\n"
    )
    unit = load(KERNEL + launch)
    passes = list_passes(unit)
    assert ("float",) not in list_launched_types(passes)

    completed = list(iter_completed_passes(passes[-1], unit))
    assert completed
    assert all(parse_pass.kernels == () for parse_pass in completed)
    assert ("float",) in list_launched_types([*passes, *completed])


def test_words_that_lead_to_a_launch(load: Callable[[str], TranslationUnit]) -> None:
    (parse_pass,) = list_passes(load(f"namespace lib {{\n{KERNEL}{LAUNCH}}}\n"))
    assert {"scale", "run", "<<<"} <= parse_pass.list_launch_words()
    assert parse_pass.plain_kernel_names == frozenset()
