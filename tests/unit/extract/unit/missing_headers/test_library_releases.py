"""Of two releases of a library that are installed, units are made with one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.missing_headers.library_parse import (
    list_choices,
)
from crawler.model import (
    Dialect,
)
from tests.header_libraries import naming, plant_cccl, plant_thrust
from tests.unit.extract.builders import unit_of
from tests.unit.extract.unit.missing_headers.library_kernels import (
    KERNEL,
    PAIR,
    extract_kernel,
    list_includes,
    plant_command,
)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[None]:
    older = plant_thrust(tmp_path / "older")
    newer = plant_cccl(tmp_path / "newer")
    with naming(older, newer):
        yield


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize(
    ("needed", "choices"),
    [
        # a project for the older one does without the newer
        (("thrust",), (("thrust",), ("cccl",))),
        # two copies of one library are never mixed
        (("thrust", "cccl"), (("cccl",),)),
        (("cccl",), (("cccl",),)),
    ],
)
def test_of_two_releases_one_is_taken(
    needed: tuple[str, ...], choices: tuple[tuple[str, ...], ...]
) -> None:
    assert list_choices(needed, Dialect.CUDA) == choices


@pytest.mark.usefixtures("both")
def test_a_library_that_holds_others_is_named_for_all_of_them(tmp_path: Path) -> None:
    text = KERNEL.replace("#include", "#include <cuda/std/newest>\n#include", 1)
    text = text.replace("*= 2", "*= cuda::std::newest<float>{2}.value")
    unit = unit_of(extract_kernel(tmp_path / "tree", text))
    assert unit.libraries == (("cccl", "3.0.1"),)
    assert unit.source.startswith("// with cccl\n")
    assert list_includes(unit)[1:] == [
        "#include <cuda/std/newest>",
        "#include <thrust/detail/vector_base.h>",
    ]


@pytest.mark.usefixtures("both")
def test_a_kernel_does_with_our_shims_where_only_its_neighbour_needs_more(
    tmp_path: Path,
) -> None:
    text = f"{KERNEL}{PAIR.replace('run', 'run_pair')}"
    root = tmp_path / "tree"
    root.mkdir()
    facts = extract_unit_facts(root, plant_command(root, text))
    units = {kernel.name: unit_of(kernel) for kernel in link_kernels([facts])}
    assert units["scale"].libraries == (("thrust", "1.17.2"),)
    assert units["swap"].libraries == (("thrust", "shim"),)
    assert "// with" not in units["swap"].source
