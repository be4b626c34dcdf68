"""Totals count units once, however many kernels, ports and devices name them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.model import Behaviour, PortReport, Run, Status, Toolchain, Verdict
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_build, make_kernel, make_unit

UNIT = make_unit("text")
OTHER = make_unit("other")
PORT = make_unit("ported", ported_from=UNIT.digest)


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        yield storage


def make_run(unit: str, status: Status, device: str = "cpu") -> Run:
    return Run(
        unit=unit,
        device=device,
        toolchain=Toolchain(compiler="clang", digest="clang"),
        pass_exe=Verdict(status=status, code="" if status is Status.PASS else "wrong"),
        behaviour=Behaviour.DETERMINISTIC,
    )


def test_an_empty_index_counts_nothing(storage: Storage) -> None:
    totals = storage.index.totals()
    assert (totals.files, totals.units, totals.ported, totals.classified) == (
        0,
        0,
        0,
        0,
    )
    assert (totals.by_layer, totals.compiled, totals.reasons) == ({}, {}, {})


def test_a_unit_of_two_kernels_is_one_unit_in_one_file(storage: Storage) -> None:
    kernels = [make_kernel("k", unit=UNIT), make_kernel("j", 100, unit=UNIT)]
    storage.index.put_kernels(REPO, kernels)
    totals = storage.index.totals()
    assert (totals.files, totals.units, totals.by_layer) == (1, 1, {"ast": 2})


def test_a_file_of_two_commits_counts_twice(storage: Storage) -> None:
    storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
    newer = replace(REPO, commit="2")
    storage.index.put_kernels(newer, [make_kernel("k", unit=UNIT)])
    totals = storage.index.totals()
    assert (totals.files, totals.units) == (2, 1)


def test_a_kernel_without_a_unit_is_no_unit_but_has_a_reason(storage: Storage) -> None:
    kernel = make_kernel("k", unit_problem="no-definition: `f` is never defined")
    storage.index.put_kernels(REPO, [kernel])
    totals = storage.index.totals()
    assert (totals.units, totals.reasons) == (0, {"no-definition": 1})


def test_a_build_of_a_port_counts_for_the_unit_that_it_was_ported_from(
    storage: Storage,
) -> None:
    storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
    storage.index.put_ports([PORT])
    storage.index.put_builds([make_build(UNIT, "sm_80"), make_build(PORT, "gfx90a")])
    totals = storage.index.totals()
    assert totals.compiled == {"gfx90a": {"pass": 1}, "sm_80": {"pass": 1}}
    assert (totals.units, totals.ported) == (1, 1)


def test_a_replaced_build_counts_no_more(storage: Storage) -> None:
    storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
    storage.index.put_builds([make_build(UNIT, "sm_80", "clang", Status.FAIL)])
    storage.index.put_builds([make_build(UNIT, "sm_80", "nvcc")])
    totals = storage.index.totals()
    assert (totals.compiled, totals.reasons) == ({"sm_80": {"pass": 1}}, {})


def test_a_run_of_the_unit_speaks_before_one_of_its_port(storage: Storage) -> None:
    storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
    storage.index.put_ports([PORT])
    storage.index.put_runs([make_run(UNIT.digest, Status.PASS)])
    storage.index.put_runs([make_run(PORT.digest, Status.FAIL)])
    totals = storage.index.totals()
    assert totals.ran == {"cpu": {"pass": 1}}
    # what is wrong with the port is still a reason
    assert totals.reasons == {"wrong": 1}


def test_a_port_speaks_on_a_device_that_the_unit_never_ran_on(
    storage: Storage,
) -> None:
    storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
    storage.index.put_ports([PORT])
    storage.index.put_runs(
        [
            make_run(UNIT.digest, Status.PASS),
            make_run(PORT.digest, Status.FAIL, "rocm:gfx90a"),
        ]
    )
    ran = storage.index.totals().ran
    assert ran == {"cpu": {"pass": 1}, "rocm:gfx90a": {"fail": 1}}


def test_a_consistent_run_is_no_reason_to_complain(storage: Storage) -> None:
    storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
    storage.index.put_runs([make_run(UNIT.digest, Status.CONSISTENT)])
    totals = storage.index.totals()
    assert (totals.ran, totals.reasons) == ({"cpu": {"consistent": 1}}, {})


def test_a_kernel_counts_once_for_a_code_that_several_builds_have(
    storage: Storage,
) -> None:
    storage.index.put_kernels(REPO, [make_kernel("k", unit=UNIT)])
    failed = [make_build(UNIT, target, status=Status.FAIL) for target in ("a", "b")]
    storage.index.put_builds(failed)
    assert storage.index.totals().reasons == {"bad": 1}


def test_units_with_blocked_ports_are_classified(storage: Storage) -> None:
    kernels = [make_kernel("k", unit=UNIT), make_kernel("j", 100, unit=OTHER)]
    storage.index.put_kernels(REPO, kernels)
    report = PortReport(blockers=(("ptx", 3), ("ptx", 9), ("mma", 4)))
    clean = make_unit("clean", ported_from=OTHER.digest)
    storage.index.put_ports([replace(PORT, port_report=report), clean])
    totals = storage.index.totals()
    assert (totals.ported, totals.classified) == (2, 1)
    assert totals.reasons == {"mma": 1, "ptx": 1}
