"""Units that use more of a library than our shim has are made with it as it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.missing_headers.library_parse import (
    find_needed_libraries,
)
from crawler.libraries import discovery
from crawler.model import (
    CompileCommand,
    Dialect,
    FlagsOrigin,
    Status,
)
from crawler.port.port import port_unit
from crawler.validate.build import build_unit
from crawler.validate.cpu.validation import validate_on_cpu
from tests.header_libraries import naming, plant_thrust
from tests.unit.extract.builders import unit_of
from tests.unit.extract.unit.missing_headers.library_kernels import (
    KERNEL,
    PAIR,
    extract_kernel,
    list_includes,
    plant_command,
)


@pytest.fixture
def thrust_folder(tmp_path: Path) -> Iterator[None]:
    with naming(plant_thrust(tmp_path / "libraries")):
        yield


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    # as on a machine without it
    monkeypatch.setattr(discovery, "_find_all", dict)


@pytest.mark.usefixtures("thrust_folder")
def test_what_a_shim_lacks_comes_from_the_installed_library(tmp_path: Path) -> None:
    unit = unit_of(extract_kernel(tmp_path / "tree", KERNEL))
    assert unit.libraries == (("thrust", "1.17.2"),)
    assert unit.source.startswith("// with thrust\n")
    assert list_includes(unit) == [
        "#include <kernelset/cuda.cuh>",
        "#include <thrust/detail/vector_base.h>",
    ]
    assert "struct vector_base" not in unit.source


@pytest.mark.apt("clang++-19")
@pytest.mark.usefixtures("thrust_folder")
def test_such_a_unit_compiles_with_the_library(tmp_path: Path) -> None:
    built = build_unit(unit_of(extract_kernel(tmp_path / "tree", KERNEL)), "sm_80")
    assert built.build.pass_call.message == ""


@pytest.mark.usefixtures("thrust_folder")
def test_such_a_unit_is_no_work_for_the_cpu_execution(tmp_path: Path) -> None:
    kernel = extract_kernel(tmp_path / "tree", KERNEL)
    verdict = validate_on_cpu(kernel).run.pass_exe
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "installed-library")


def test_a_library_that_is_not_here_any_more_is_skipped_with_a_remedy(
    tmp_path: Path,
) -> None:
    with naming(plant_thrust(tmp_path / "libraries")):
        unit = unit_of(extract_kernel(tmp_path / "tree", KERNEL))

    gone = replace(unit, libraries=(("nobody", "1.0"),))
    verdict = build_unit(gone, "sm_80").build.pass_call
    assert (verdict.status, verdict.code) == (Status.SKIPPED, "no-library")


@pytest.mark.usefixtures("thrust_folder")
def test_a_library_for_nvidia_alone_has_no_code_for_amd(tmp_path: Path) -> None:
    unit = unit_of(extract_kernel(tmp_path / "tree", KERNEL))
    ported = replace(unit, dialect=Dialect.HIP, libraries=(("cutlass", "4.6.2"),))
    verdict = build_unit(ported, "gfx90a").build.pass_call
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, "library-dialect")


@pytest.mark.apt("clang++-19")
@pytest.mark.usefixtures("thrust_folder")
def test_its_port_compiles_for_amd(tmp_path: Path) -> None:
    unit = port_unit(unit_of(extract_kernel(tmp_path / "tree", KERNEL)))
    assert unit.source.startswith("// with thrust\n")
    assert build_unit(unit, "gfx90a").build.pass_call.message == ""


@pytest.mark.usefixtures("thrust_folder")
def test_a_folder_that_was_guessed_is_no_library(tmp_path: Path) -> None:
    own = tmp_path / "tree/inner/thrust/detail"
    own.mkdir(parents=True)
    (own / "vector_base.h").write_text("// the project's own, of another purpose\n")
    (tmp_path / "tree/a.cu").write_text(KERNEL)
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=("-Iinner",),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    [kernel] = link_kernels([extract_unit_facts(tmp_path / "tree", command)])
    assert unit_of(kernel).libraries == (("thrust", "1.17.2"),)


@pytest.mark.usefixtures("thrust_folder")
def test_what_a_shim_has_is_made_with_it(tmp_path: Path) -> None:
    kernel = extract_kernel(tmp_path / "tree", PAIR)
    unit = unit_of(kernel)
    assert unit.libraries == (("thrust", "shim"),)
    assert "library:thrust:shim" in kernel.tags
    assert "// with" not in unit.source


@pytest.mark.usefixtures("thrust_folder")
def test_a_kernel_that_names_no_library_includes_none(tmp_path: Path) -> None:
    text = KERNEL.replace("thrust::detail::vector_base<float> v", "float *v")
    text = text.replace("v.first", "v").replace("({x})", "(x)")
    text += "thrust::detail::vector_base<int> on_the_host;\n"
    unit = unit_of(extract_kernel(tmp_path / "tree", text))
    assert list_includes(unit) == ["#include <kernelset/cuda.cuh>"]
    assert unit.libraries == ()


@pytest.mark.usefixtures("thrust_folder")
def test_a_macro_of_the_library_alone_asks_for_it(tmp_path: Path) -> None:
    text = KERNEL.replace("thrust::detail::vector_base<float> v", "float *v")
    text = text.replace("v.first[threadIdx.x] *= 2", "twice(v)").replace("({x})", "(x)")
    text = text.replace(
        "__global__",
        "THRUST_HOST_DEVICE void twice(float *v) { v[0] *= 2; }\n__global__",
        1,
    )
    unit = unit_of(extract_kernel(tmp_path / "tree", text))
    assert "#include <thrust/detail/vector_base.h>" in list_includes(unit)


@pytest.mark.usefixtures("thrust_folder")
def test_headers_stand_in_the_order_of_the_projects_files(tmp_path: Path) -> None:
    own = "#include <thrust/version.h>\n"
    unit = unit_of(
        extract_kernel(tmp_path / "tree", f'#include "own.h"\n{KERNEL}', own=own)
    )
    assert list_includes(unit)[1:] == [
        "#include <thrust/version.h>",
        "#include <thrust/detail/vector_base.h>",
    ]


@pytest.mark.usefixtures("thrust_folder")
def test_a_library_is_kept_only_where_it_has_fewer_errors(tmp_path: Path) -> None:
    text = KERNEL.replace("::vector_base<float>", "::nobody_has_this<float>")
    text = text.replace("<thrust/detail/vector_base.h>", "<thrust/pair.h>")
    kernel = extract_kernel(tmp_path / "tree", text)
    assert kernel.unit is None


@pytest.mark.usefixtures("nowhere")
def test_a_missing_library_is_called_by_its_name(tmp_path: Path) -> None:
    text = f"#include <thrust/detail/vector_base.h>\n{PAIR}"
    kernel = extract_kernel(tmp_path / "tree", text)
    assert unit_of(kernel).missing_headers == ("thrust/detail/vector_base.h",)


@pytest.mark.apt
def test_no_header_of_an_installed_library_is_mixed_with_our_shim(
    tmp_path: Path,
) -> None:
    # clang looks into /usr/include by itself, where Debian puts Thrust
    text = PAIR.replace(
        "#include <thrust/pair.h>",
        "#include <thrust/pair.h>\n#if __has_include(<thrust/detail/tuple_meta_transform.h>)\n"
        "#error it is seen\n#endif",
    )
    facts = extract_unit_facts(tmp_path, plant_command(tmp_path, text))
    assert [diagnostic.message for diagnostic in facts.diagnostics] == []


@pytest.mark.usefixtures("thrust_folder")
@pytest.mark.parametrize(
    ("message", "libraries"),
    [
        ("'thrust/detail/vector_base.h' file not found", ("thrust",)),
        ("'cub/grid/grid_even_share.cuh' file not found", ("thrust",)),
        ("no member named 'GridEvenShare' in namespace 'cub'", ("thrust",)),
        ("no type named 'x' in 'thrust::device_ptr<int>'", ("thrust",)),
        ("no member named 'x' in namespace 'own::thrust'", ()),
        ("use of undeclared identifier 'cub'", ("thrust",)),
        ("use of undeclared identifier 'cub_size'", ()),
        ("'own/thrust/sort.h' file not found", ()),
    ],
)
def test_errors_tell_which_library_is_needed(
    message: str, libraries: tuple[str, ...]
) -> None:
    assert find_needed_libraries([message], Dialect.CUDA) == libraries


@pytest.mark.usefixtures("thrust_folder")
def test_a_library_of_another_dialect_is_none() -> None:
    message = "'rocprim/rocprim.hpp' file not found"
    assert find_needed_libraries([message], Dialect.CUDA) == ()
