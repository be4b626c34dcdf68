"""Builds and runs: the newest of a place counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from crawler.model import (
    Behaviour,
    Instantiation,
    Run,
    Status,
    Strength,
    StrengthClass,
    Toolchain,
    Verdict,
)
from storage.database.engine import read_transaction
from storage.index.kernel_rows.verdicts import keep_newest_builds
from storage.open import Storage, open_storage
from storage.tables import BUILD
from tests.unit.storage.samples import REPO, make_build, make_kernel, make_unit

UNIT = make_unit("text")


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
        yield storage


def pass_call(storage: Storage) -> dict[str, str]:
    (row,) = storage.index.query()
    return row.pass_call


def test_of_builds_with_one_key_the_last_is_kept() -> None:
    old = make_build(UNIT, "sm_80", status=Status.FAIL)
    other = make_build(UNIT, "sm_90")
    new = make_build(UNIT, "sm_80")
    assert list(keep_newest_builds([old, other, new]).values()) == [other, new]


def test_a_newer_build_replaces_the_row_of_its_key(storage: Storage) -> None:
    storage.index.put_builds([make_build(UNIT, "sm_80", status=Status.FAIL)])
    storage.index.put_builds([make_build(UNIT, "sm_80"), make_build(UNIT, "sm_90")])
    with read_transaction(storage.engine) as connection:
        targets = connection.scalars(select(BUILD.c.target)).all()
    assert sorted(targets) == ["sm_80", "sm_90"]
    assert pass_call(storage) == {"sm_80": "pass", "sm_90": "pass"}


def test_the_newest_build_speaks_whatever_its_toolchain(storage: Storage) -> None:
    storage.index.put_builds([make_build(UNIT, "sm_80", "clang")])
    storage.index.put_builds([make_build(UNIT, "sm_80", "nvcc", Status.FAIL)])
    assert pass_call(storage) == {"sm_80": "fail"}
    storage.index.put_builds([make_build(UNIT, "sm_80", "clang")])
    assert pass_call(storage) == {"sm_80": "pass"}


def run_of(label: str, status: Status, *, is_further: bool, compiler: str = "a") -> Run:
    return Run(
        unit=UNIT.digest,
        device="cpu",
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_exe=Verdict(status=status, code="" if status is Status.PASS else "race"),
        behaviour=Behaviour.DETERMINISTIC,
        instantiation=label,
        is_further=is_further,
    )


RUNS = (
    run_of("float", Status.PASS, is_further=False),
    run_of("int", Status.FAIL, is_further=True),
)
TEMPLATE = make_kernel(
    "k",
    unit=UNIT,
    instantiations=tuple(
        Instantiation(arguments=(label,), label=label)
        for label in ("float", "int", "half")
    ),
)


def test_each_instantiation_has_its_own_verdict(storage: Storage) -> None:
    storage.index.put_kernels(REPO, [TEMPLATE])
    storage.index.put_runs(RUNS)
    (row,) = storage.index.query()
    assert row.pass_exe == {"cpu": "pass"}
    assert row.instantiation_exe == {
        "cpu": {"float": "pass", "int": "fail", "half": "not-run"}
    }
    assert row.reasons == ("race",), "what is wrong with one is wrong with the kernel"
    (record,) = storage.index.records()
    assert record.runs == RUNS


@pytest.mark.parametrize("compiler", ["a", "b"])
def test_further_runs_go_with_the_one_that_they_came_with(
    storage: Storage, compiler: str
) -> None:
    storage.index.put_kernels(REPO, [TEMPLATE])
    storage.index.put_runs(RUNS)
    storage.index.put_runs(
        [run_of("int", Status.CONSISTENT, is_further=False, compiler=compiler)]
    )
    (row,) = storage.index.query()
    assert row.instantiation_exe == {
        "cpu": {"float": "not-run", "int": "consistent", "half": "not-run"}
    }


@pytest.mark.parametrize(
    ("expression", "is_match"),
    [
        ("instantiation_exe.cpu = not-run", True),
        ("instantiation_exe = fail", True),
        ("instantiation_exe.cpu = skipped", False),
        ("instantiation_exe.sm_80 = not-run", False),
        ("pass_exe.cpu = not-run", False),
    ],
)
def test_the_verdict_of_an_instantiation_can_be_asked_for(
    storage: Storage, expression: str, is_match: bool
) -> None:
    storage.index.put_kernels(REPO, [TEMPLATE])
    storage.index.put_runs(RUNS)
    assert bool(list(storage.index.query(expression))) is is_match


def test_instantiations_that_nobody_ran_are_counted(storage: Storage) -> None:
    # two kernels of one unit, as a fork has them, count once
    other = replace(TEMPLATE, span=replace(TEMPLATE.span, path="b.cu"))
    storage.index.put_kernels(REPO, [TEMPLATE, other])
    storage.index.put_runs(RUNS)
    totals = storage.index.totals()
    assert totals.ran == {"cpu": {"pass": 1}}
    assert totals.instantiations == {"cpu": {"fail": 1, "not-run": 1, "pass": 1}}


def test_the_strength_of_the_run_that_speaks_is_what_a_kernel_has(
    storage: Storage,
) -> None:
    first, further = RUNS
    strong = Strength(
        strength_class=StrengthClass.STRONG, branches=1, mutants=4, killed=3
    )
    weak = replace(strong, strength_class=StrengthClass.WEAK, killed=0)
    storage.index.put_kernels(REPO, [TEMPLATE])
    storage.index.put_runs(
        [replace(first, strength=strong), replace(further, strength=weak)]
    )
    (row,) = storage.index.query("strength = strong")
    assert (row.strength, row.mutants_killed) == ({"cpu": "strong"}, {"cpu": 0.75})
    assert not list(storage.index.query("strength.cpu = weak"))
    totals = storage.index.totals()
    assert totals.strength == {"cpu": {"strong": 1}}
    assert totals.mutants_killed == {"cpu": {"median": 0.75, "p10": 0.75}}


def test_nothing_to_store_is_no_error(storage: Storage) -> None:
    storage.index.put_builds([])
    storage.index.put_runs([])
    assert pass_call(storage) == {}
