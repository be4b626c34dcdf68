"""A kernel that was run is published with its cases, and at the deepest with tests, but for
what is held back.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pyarrow import parquet

import crawler.dataset
from crawler import codec
from crawler.dataset.exporters.jsonl import PLUGIN as JSONL
from crawler.dataset.exporters.parquet import PLUGIN as PARQUET
from crawler.dataset.exporters.tree import PLUGIN as TREE
from crawler.dataset.interface import RowContext
from crawler.dataset.programs.harness_programs import build_programs_at_depth
from crawler.dataset.rows.row import to_row
from crawler.dataset.texts.depth import Depth
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.model import (
    Behaviour,
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    KernelRecord,
    Oracle,
    Run,
    Status,
    Strength,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.validate.values.blobs import Blobs

FOLDER = Path(str(crawler.dataset.__file__)).parent
RECORDS = codec.decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
PLAIN = next(record for record in RECORDS if record.kernel.name == "block_sum")
BLOBS = Blobs()
FULL = RowContext(depth=Depth.FULL, read_content=BLOBS.get)
SECRET = BLOBS.put(b"held")


def _suite(unit: str) -> Suite:
    buffer = CaseBuffer(
        name="in",
        element="float",
        element_size=4,
        size=8,
        role=BufferRole.INOUT,
        content=BLOBS.put(bytes(8)),
        gold=BLOBS.put(b"\0\0\x80?" * 2),
        absolute=0.5,
    )
    case = Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        entry=1,
        grid=(2, 1, 1),
        block=(64, 1, 1),
        arguments=(
            CaseArgument(
                name="in", content="00" * 8, pointers=(CasePointer(at=0, buffer=0),)
            ),
        ),
        buffers=(buffer,),
    )
    hidden = replace(
        case, name="hidden", hidden=True, buffers=(replace(buffer, content=SECRET),)
    )
    return Suite(unit=unit, seed=3, cases=(case, hidden), oracle=Oracle.PROJECT_CPU)


@pytest.fixture(scope="module")
def ran() -> KernelRecord:
    assert PLAIN.kernel.unit
    unit = PLAIN.kernel.unit.digest
    suite = _suite(unit)
    digest = BLOBS.put(codec.encode(suite))
    run = Run(
        unit=unit,
        device="cpu",
        toolchain=Toolchain(compiler="clang 19"),
        pass_exe=Verdict(status=Status.PASS),
        behaviour=Behaviour.DETERMINISTIC,
        instantiation="double_256",
        suite=digest,
        cases=1,
        oracle=Oracle.PROJECT_CPU,
        strength=Strength(
            branches=4, branches_reached=3, unreached=(7,), mutants=10, killed=9
        ),
    )
    beaten = replace(
        run,
        unit=PLAIN.ports[0].digest,
        pass_exe=Verdict(status=Status.FAIL, code="race"),
        suite="",
    )
    return replace(PLAIN, runs=(run, beaten), suites=((digest, suite),))


def test_a_row_tells_of_runs_and_of_the_cases_that_are_shown(
    ran: KernelRecord, tmp_path: Path
) -> None:
    row = to_row(ran)
    assert row.pass_exe == {"cpu": "pass"}, "the unit's own run speaks for it"
    assert [(run.status, run.code, run.strength.killed) for run in row.runs] == [
        ("pass", "", 9),
        ("fail", "race", 9),
    ]
    (suite,) = row.suites
    assert (suite.digest, [case.name for case in suite.cases]) == (
        ran.runs[0].suite,
        ["ordinary"],
    )
    JSONL.write(KERNELS, [ran], tmp_path / "rows.jsonl", RowContext())
    row = json.loads((tmp_path / "rows.jsonl").read_text())
    jsonschema.validate(row, json.loads((FOLDER / "schemas/kernels.json").read_text()))
    PARQUET.write(KERNELS, [ran], tmp_path / "rows.parquet", RowContext())
    (cells,) = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    assert cells["suites"] == row["suites"]


def test_a_row_says_of_each_instantiation_whether_it_was_run(ran: KernelRecord) -> None:
    executions = {row.label: row.pass_exe for row in to_row(ran).instantiations}
    assert executions == {
        "float_256": {"cpu": "not-run"},
        "double_256": {"cpu": "pass"},
        "int_256": {"cpu": "not-run"},
    }


def read_checked(path: Path, schema: str) -> dict[str, Any]:
    """Return a metadata file, which is as its schema says."""
    content: dict[str, Any] = json.loads(path.read_text())
    published = json.loads((FOLDER / f"trees/{schema}.schema.json").read_text())
    jsonschema.validate(content, published)
    return content


def test_a_file_tells_of_no_run_but_those_of_its_own_instantiation(
    ran: KernelRecord, tmp_path: Path
) -> None:
    timed = replace(
        ran.runs[0],
        device="rocm:gfx942",
        instantiation="int_256",
        pass_exe=Verdict(status=Status.FAIL, code="wrong-output"),
        pass_perf=Verdict(status=Status.SKIPPED, code="no-baseline"),
        suite="",
    )
    record = replace(ran, runs=(*ran.runs, timed), reasons=("race", "wrong-output"))
    TREE.write(KERNELS, [record], tmp_path / "out", FULL)
    folder = tmp_path / "out"
    kernel = read_checked(next(folder.glob("*/block_sum/block_sum.json")), "kernel")
    statuses = {}
    for path in folder.glob("*/block_sum/instantiations/*.json"):
        described = read_checked(path, "instantiation")
        own = described["instantiation"]
        runs = [kernel["runs"][position] for position in described["runs"]]
        assert {run["instantiation"] for run in runs} <= {own["label"]}
        statuses[own["label"]] = (
            own["pass_exe"],
            own["pass_perf"],
            len(runs),
            bool(described["test_files"]),
        )
    assert statuses == {
        "float_256": (
            {"cpu": "not-run", "rocm:gfx942": "not-run"},
            {},
            0,
            False,
        ),
        "double_256": (
            {"cpu": "pass", "rocm:gfx942": "not-run"},
            {},
            2,
            True,
        ),
        "int_256": (
            {"cpu": "not-run", "rocm:gfx942": "fail"},
            {"rocm:gfx942": "skipped"},
            1,
            False,
        ),
    }


def test_tests_are_named_by_the_file_of_the_instantiation_that_they_are_of(
    ran: KernelRecord, tmp_path: Path
) -> None:
    further = replace(ran.runs[0], instantiation="int_256", is_further=True)
    record = replace(ran, runs=(*ran.runs, further))
    TREE.write(KERNELS, [record], tmp_path / "out", FULL)
    (folder,) = (tmp_path / "out").glob("*/block_sum/instantiations")
    first = read_checked(folder / "block_sum_double_256.json", "instantiation")
    assert len(first["test_files"]) == 2
    second = read_checked(folder / "block_sum_int_256.json", "instantiation")
    assert second["instantiation"]["pass_exe"] == {"cpu": "pass"}
    assert second["test_files"] == []


def test_the_deepest_rendering_has_tests_of_the_unit_and_of_its_port(
    ran: KernelRecord,
) -> None:
    own, port = build_programs_at_depth(ran, Depth.FULL, BLOBS.get)
    assert (own.file, port.file) == ("test_block_sum.cu", "test_block_sum_hip.hip")
    assert own.source.count("template __global__") == 1, (
        "only what is tested is instantiated"
    )
    assert "All tests passed!" in own.source
    assert to_row(ran, Depth.FULL, (own, port)).absent == (
        "python",
        "binding",
        "launcher",
        "cpu",
    )
    for test in (own, port):
        assert '"ordinary"' in test.source
        assert "hidden" not in test.source
        assert b"held" not in test.beside


def test_there_are_no_tests_where_none_were_asked_for_or_the_kernel_did_not_pass(
    ran: KernelRecord,
) -> None:
    assert build_programs_at_depth(ran, Depth.UNIT, BLOBS.get) == ()
    assert build_programs_at_depth(ran, Depth.FULL, None) == ()
    assert build_programs_at_depth(PLAIN, Depth.FULL, BLOBS.get) == ()
    failed = replace(
        ran,
        runs=(replace(ran.runs[0], pass_exe=Verdict(status=Status.FAIL, code="race")),),
    )
    assert build_programs_at_depth(failed, Depth.FULL, BLOBS.get) == ()


def test_a_tree_has_one_folder_of_tests_that_the_metadata_names(
    ran: KernelRecord, tmp_path: Path
) -> None:
    moved = replace(
        ran, kernel=replace(ran.kernel, span=replace(ran.kernel.span, path="other.cuh"))
    )
    TREE.write(KERNELS, [ran, moved], tmp_path / "out", FULL)
    tests = tmp_path / "out" / "tests"
    languages = json.loads((tests / "tests.json").read_text())
    (own, port) = sorted(languages)
    assert port == f"{own}_hip"
    assert (tests / f"{own}.cu").is_file()
    assert (tests / f"kernels/{own}.cu").is_file()
    assert (tests / f"judge/{own}.cases").is_file()
    assert (tests / "include/cpu/kernelset/cpu/host.h").is_file()
    for path in (tmp_path / "out").glob("*/block_sum/instantiations/*.json"):
        row = read_checked(path, "instantiation")
        is_tested = row["instantiation"]["label"] == "double_256"
        test_files = [f"tests/{own}.cu", f"tests/{port}.hip"]
        assert row["test_files"] == (test_files if is_tested else [])
    TREE.write(KERNELS, [PLAIN], tmp_path / "out", FULL)
    assert not tests.exists()
