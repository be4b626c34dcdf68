"""A unit shows on its lines what no case of its suite looks at."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import KernelRecord, Strength, Survivor
from tests.run_records import make_launched_record
from workers.web.source_views.kernel_view import make_kernel_view


def make_measured_record(strength: Strength, unit: str = "") -> KernelRecord:
    """Return a record whose unit, or another one, was run with cases of this strength."""
    record = make_launched_record()
    assert record.kernel.unit
    measured = unit or record.kernel.unit.digest
    run = replace(record.runs[0], unit=measured, strength=strength)
    return replace(record, runs=(run,))


def test_lines_show_the_changes_that_no_case_tells() -> None:
    survivors = (
        Survivor(line=2, before="i < n", after="i <= n"),
        Survivor(line=2, before="i", after="(i + 1)"),
        Survivor(line=4, before="1", after="2"),
    )
    strength = Strength(
        branches=4, branches_reached=3, unreached=(3,), mutants=9, killed=6,
        survivors=survivors,
    )  # fmt: skip
    view = make_kernel_view(make_measured_record(strength))
    shown_lines = {line.number: line for line in view.unit}
    assert shown_lines[2].survivors == survivors[:2]
    assert shown_lines[4].survivors == survivors[2:]
    assert not shown_lines[3].survivors
    assert [number for number, line in shown_lines.items() if line.is_missed] == [3]


def test_lines_show_whether_a_case_runs_them() -> None:
    strength = Strength(branches=4, taken_lines=(1, 2, 5), missed_lines=(3, 4))
    view = make_kernel_view(make_measured_record(strength))
    coverage = [line.coverage for line in view.unit[:6]]
    assert coverage == ["taken", "taken", "untaken", "untaken", "taken", ""]
    assert [line.number for line in view.unit if line.begins_untaken] == [3]
    assert view.strength == strength


def test_instantiations_are_called_by_their_labels() -> None:
    labels = make_kernel_view(make_launched_record()).labels

    assert {symbol: labels[symbol] for symbol in sorted(labels)} == {
        "_ZN7rollers9block_sumIdLi256EEEvPKT_PS1_i": "double_256",
        "_ZN7rollers9block_sumIfLi256EEEvPKT_PS1_i": "float_256",
        "_ZN7rollers9block_sumIiLi256EEEvPKT_PS1_i": "int_256",
    }


def test_runs_of_another_unit_say_nothing_of_its_lines() -> None:
    survivor = Survivor(line=2, before="a", after="b")
    strength = Strength(branches=4, mutants=9, survivors=(survivor,))
    view = make_kernel_view(make_measured_record(strength, unit="0" * 64))
    assert not any(line.survivors for line in view.unit)
