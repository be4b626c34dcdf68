"""A kernel unit is read from its file, with what a dataset wrote beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import NoKernels, NotFound
from crawler.model import Dialect
from workers.local.unit_file import read_kernel, read_unit

TEMPLATE = """template <class T, int N> __global__ void scale(T *x) { x[0] *= N; }
template __global__ decltype(ops::scale<float, 4>) ops::scale<float, 4>;
template __global__ decltype(ops::scale<pair<int, int>, 8>) ops::scale<pair<int, int>, 8>;
"""


def write_unit(folder: Path, text: str, name: str = "unit.cu") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_instantiated_kernel_names_the_unit(tmp_path: Path) -> None:
    unit = read_unit(write_unit(tmp_path, TEMPLATE))
    assert unit.kernel_name == "ops::scale"
    arguments = [instantiation.arguments for instantiation in unit.instantiations]
    assert arguments == [("float", "4"), ("pair<int, int>", "8")]


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("(8 > 4), int", ("(8 > 4)", "int")),
        ("(4 < 8), int", ("(4 < 8)", "int")),
        ("(1 << 4), int", ("(1 << 4)", "int")),
        ("decltype(p->x), pair<int, int>", ("decltype(p->x)", "pair<int, int>")),
        ("float (*)(pair<int, int>), 3", ("float (*)(pair<int, int>)", "3")),
    ],
)
def test_signs_that_are_no_angle_brackets_do_not_divide_arguments(
    tmp_path: Path, written: str, arguments: tuple[str, ...]
) -> None:
    text = f"template __global__ decltype(scale<{written}>) scale<{written}>;\n"
    unit = read_unit(write_unit(tmp_path, text))
    assert [made.arguments for made in unit.instantiations] == [arguments]


def test_without_an_instantiation_the_last_definition_names_the_unit(
    tmp_path: Path,
) -> None:
    text = """__global__ void first() {}
__global__ void __launch_bounds__(256) second(int *x) {}
"""
    unit = read_unit(write_unit(tmp_path, text, "unit.hip"))
    assert unit.kernel_name == "second"
    assert unit.dialect is Dialect.HIP
    assert unit.instantiations == ()


def test_a_file_without_a_kernel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoKernels):
        read_unit(write_unit(tmp_path, "int main() {}\n"))
    with pytest.raises(NotFound, match="there is no file"):
        read_unit(tmp_path / "absent.cu")


def test_metadata_beside_the_unit_is_taken(tmp_path: Path) -> None:
    path = write_unit(tmp_path, TEMPLATE)
    (tmp_path / "unit.json").write_text('{"attributes": ["a"], "source": "body"}')
    kernel = read_kernel(path)
    assert (kernel.name, kernel.attributes, kernel.source) == ("scale", ("a",), "body")


@pytest.mark.parametrize("metadata", ["no JSON", "[1]", '{"attributes": 3}'])
def test_a_foreign_file_beside_the_unit_is_left_alone(
    tmp_path: Path, metadata: str
) -> None:
    path = write_unit(tmp_path, TEMPLATE)
    (tmp_path / "unit.json").write_text(metadata)
    kernel = read_kernel(path)
    assert kernel.source == TEMPLATE
    assert kernel.launches == ()
