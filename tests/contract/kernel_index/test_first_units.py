"""Units of a batch take the place of what syntax alone has shown, and of nothing else."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Layer
from storage.interfaces import KernelIndex
from tests.contract.kernel_indexes import ALIGN, MMCV, OTHER, kernel_of


def test_first_units_take_the_place_of_what_syntax_alone_has_shown(
    fresh: KernelIndex,
) -> None:
    syntactic_kernel = kernel_of("align", found_by=Layer.SYNTACTIC)
    elsewhere = kernel_of("align", path="b.cu", found_by=Layer.SYNTACTIC)
    parsed = kernel_of("align", offset=7, unit=ALIGN)
    fresh.put_kernels(MMCV, [syntactic_kernel, elsewhere])
    fresh.put_first_units(MMCV, [parsed])

    records = [record.kernel for record in fresh.records()]
    assert records == [parsed, elsewhere]
    assert list(fresh.units(MMCV)) == [ALIGN]


def test_first_units_change_no_kernel_that_was_parsed_or_not_shown(
    fresh: KernelIndex,
) -> None:
    linked = kernel_of("align", unit=ALIGN)
    without_unit = kernel_of("nms", path="b.cu")
    far = replace(linked.span, path="c.cu", line=100, end_line=110)
    another_place = kernel_of("far", path="c.cu", found_by=Layer.SYNTACTIC)
    fresh.put_kernels(MMCV, [linked, without_unit, another_place])
    fresh.put_first_units(
        MMCV,
        [
            kernel_of("align", unit=OTHER),
            kernel_of("nms", path="b.cu", unit=OTHER),
            kernel_of("far", unit=OTHER, span=far),
            kernel_of("unheard_of", path="d.cu", unit=OTHER),
        ],
    )

    records = [record.kernel for record in fresh.records()]
    assert records == [linked, without_unit, another_place]


def test_first_units_are_counted_where_counts_are_kept(fresh: KernelIndex) -> None:
    syntactic_kernel = kernel_of(
        "align", found_by=Layer.SYNTACTIC, unit_problem="no-closure: not parsed yet"
    )
    waiting = kernel_of(
        "nms",
        path="b.cu",
        found_by=Layer.SYNTACTIC,
        unit_problem="no-closure: not parsed yet",
    )
    fresh.put_kernels(MMCV, [syntactic_kernel, waiting])
    # from the first look on they are kept
    assert count_reasons(fresh) == {"no-closure": 2}
    fresh.put_first_units(MMCV, [kernel_of("align", unit=ALIGN)])

    assert count_reasons(fresh) == {"no-closure": 1}


def count_reasons(index: KernelIndex) -> dict[str, int]:
    counts = index.count_values("reasons")
    return {count.value: count.kernels for count in counts}
