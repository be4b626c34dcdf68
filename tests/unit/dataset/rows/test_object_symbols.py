"""An instantiation is known in the objects of its units, whatever its source calls it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.dataset.interface import RowContext
from crawler.dataset.rows.instantiation_row import list_instantiation_rows
from crawler.dataset.views.instantiations import Instantiations
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import CompileCommand, Dialect, FlagsOrigin, Kernel, KernelRecord
from crawler.port.port import port_unit
from crawler.validate.build import build_unit
from tests.run_records import make_run_records
from workers.web.source_views.kernel_view import make_kernel_view

pytestmark = pytest.mark.apt("clang-19")

UNNAMED = """\
namespace ns { namespace {
template <class T, long N> __global__ void fill(const T *x, T *y) { y[0] = x[N]; }
} }
void run(float *x, double *y) {
  ns::fill<float, 1><<<1, 1>>>(x, x);
  ns::fill<float, 2><<<1, 1>>>(x, x);
  ns::fill<double, 1><<<1, 1>>>(y, y);
}
"""
LABELS = ("double_1", "float_1", "float_2")


def make_record(kernel: Kernel) -> KernelRecord:
    assert kernel.unit is not None
    port = port_unit(kernel.unit)
    builds = (
        build_unit(kernel.unit, "sm_80").build,
        build_unit(port, "gfx90a").build,
    )
    record, _ = make_run_records()
    return replace(record, kernel=kernel, ports=(port,), builds=builds, runs=())


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> KernelRecord:
    root = tmp_path_factory.mktemp("project")
    (root / "a.cu").write_text(UNNAMED)
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    [kernel] = link_kernels([extract_unit_facts(root, command)])
    return make_record(kernel)


def test_a_kernel_of_an_unnamed_namespace_is_there_with_its_resources(
    record: KernelRecord,
) -> None:
    rows = list(Instantiations().make_rows(record, RowContext()))
    labels = tuple(sorted(row.instantiation.label for row in rows))
    assert labels == LABELS
    for row in rows:
        unit, port = row.units
        assert [build.status for build in (*unit.builds, *port.builds)] == ["pass"] * 2
        assert port.builds[0].resources is not None


def test_its_symbol_is_that_of_the_object(record: KernelRecord) -> None:
    rows = list_instantiation_rows(record)

    assert {row.symbol for row in rows} == set(record.builds[0].symbols)


def test_nothing_is_called_by_a_name_that_only_the_source_has(
    record: KernelRecord,
) -> None:
    rows = list_instantiation_rows(replace(record, builds=()))

    assert {row.symbol for row in rows} == {""}


def test_a_page_names_the_instantiations_of_both_objects(record: KernelRecord) -> None:
    labels = make_kernel_view(record).labels

    for build in record.builds:
        assert {labels[symbol] for symbol in build.symbols} == set(LABELS)
