"""Headers that stand in the tree though the build's flags do not lead to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout import source_tree
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import CompileCommand, Dialect, FlagsOrigin, Kernel
from tests.unit.extract.builders import unit_of

KERNEL = """\
#include "item.h"
__global__ void scale(Item *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x].value = FACTOR * twice(x[threadIdx.x].value);
}
void run(Item *x) { scale<<<1, 32>>>(x, 32); }
"""
ITEM = """\
#pragma once
#include "factor.h"
struct Item { float value; };
__device__ inline float twice(float x) { return 2 * x; }
"""


def plant(root: Path, **files: str) -> None:
    for name, text in files.items():
        file = root / name.replace("__", "/").replace("_h", ".h").replace("_cu", ".cu")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def extract_kernel(
    root: Path,
    *arguments: str,
    directory: str = ".",
    origin: FlagsOrigin = FlagsOrigin.EXPORTED,
) -> Kernel:
    command = CompileCommand(
        directory=directory,
        file="src/a.cu",
        arguments=arguments,
        dialect=Dialect.CUDA,
        origin=origin,
    )
    [kernel] = link_kernels([extract_unit_facts(root, command)])
    return kernel


def test_a_header_and_what_it_includes_are_found_elsewhere_in_the_tree(
    tmp_path: Path,
) -> None:
    plant(
        tmp_path,
        src__a_cu=KERNEL,
        lib__includes__item_h=ITEM,
        config__factor_h="#define FACTOR 3\n",
    )
    kernel = extract_kernel(tmp_path)
    assert kernel.flags_origin is FlagsOrigin.COMPLETED
    assert kernel.added_flags == ("-idirafter", "lib/includes", "-idirafter", "config")
    source = unit_of(kernel).source
    assert "#define FACTOR 3" in source
    assert "struct Item { float value; };" in source
    assert unit_of(kernel).missing_headers == ()


def test_the_nearest_of_two_headers_is_taken(tmp_path: Path) -> None:
    other = ITEM.replace("float value", "double value, unused")
    plant(
        tmp_path,
        src__a_cu=KERNEL,
        src__inner__item_h=ITEM,
        other__deep__item_h=other,
        src__inner__factor_h="#define FACTOR 3\n",
    )
    assert "double value" not in unit_of(extract_kernel(tmp_path)).source


def test_what_the_command_reaches_stays_as_it_is(tmp_path: Path) -> None:
    plant(
        tmp_path,
        src__a_cu=KERNEL,
        lib__item_h=ITEM,
        lib__factor_h="#define FACTOR 3\n",
        src__near__item_h="struct Item { int nothing; };\n",
    )
    kernel = extract_kernel(tmp_path, "-Ilib")
    assert kernel.flags_origin is FlagsOrigin.EXPORTED
    assert kernel.added_flags == ()
    assert "nothing" not in unit_of(kernel).source


def test_paths_are_relative_to_where_the_compiler_runs(tmp_path: Path) -> None:
    plant(
        tmp_path,
        src__a_cu=KERNEL,
        lib__item_h=ITEM,
        lib__factor_h="#define FACTOR 3\n",
        build__readme_h="",
    )
    kernel = extract_kernel(tmp_path, directory="build")
    assert kernel.added_flags == ("-idirafter", "../lib")


def test_a_made_up_command_stays_made_up(tmp_path: Path) -> None:
    plant(
        tmp_path,
        src__a_cu=KERNEL,
        lib__item_h=ITEM,
        lib__factor_h="#define FACTOR 3\n",
    )
    kernel = extract_kernel(tmp_path, origin=FlagsOrigin.SYNTHESISED)
    assert kernel.flags_origin is FlagsOrigin.SYNTHESISED
    assert "struct Item" in unit_of(kernel).source


def test_a_namesake_that_helps_nothing_is_not_taken(tmp_path: Path) -> None:
    broken = "#include <absent/one.h>\n#include <absent/two.h>\nWidget make();\n"
    plant(tmp_path, src__a_cu=KERNEL, docs__item_h=broken)
    kernel = extract_kernel(tmp_path)
    assert kernel.flags_origin is FlagsOrigin.EXPORTED
    assert unit_of(kernel).missing_headers == ("item.h",)


def test_headers_that_include_each_other_end(tmp_path: Path) -> None:
    plant(
        tmp_path,
        src__a_cu=KERNEL,
        one__item_h='#include "more.h"\n' + ITEM,
        two__more_h='#pragma once\n#include "item.h"\n',
        three__factor_h="#define FACTOR 3\n",
    )
    assert unit_of(extract_kernel(tmp_path)).missing_headers == ()


def test_a_header_beside_its_includer_needs_no_path_in_angle_brackets(
    tmp_path: Path,
) -> None:
    plant(
        tmp_path,
        src__a_cu=KERNEL.replace('"item.h"', "<item.h>"),
        src__item_h=ITEM,
        src__factor_h="#define FACTOR 3\n",
    )
    kernel = extract_kernel(tmp_path)
    assert kernel.added_flags == ()
    assert "struct Item { float value; };" in unit_of(kernel).source
    assert unit_of(kernel).missing_headers == ()


def test_a_folder_of_too_many_files_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, src__a_cu=KERNEL, lib__item_h=ITEM)
    monkeypatch.setattr(source_tree, "MAX_FILES", 1)
    kernel = extract_kernel(tmp_path)
    assert kernel.flags_origin is FlagsOrigin.EXPORTED
    assert unit_of(kernel).missing_headers == ("item.h",)
