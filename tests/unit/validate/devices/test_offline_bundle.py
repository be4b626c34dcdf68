"""Units that are carried to another machine, and results that come back from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from crawler.model import Behaviour, Build, Dialect, Run, Status, Toolchain, Verdict
from crawler.validate.bundle.kernel_symbols import Entry
from crawler.validate.bundle.manifest import BundledUnit
from crawler.validate.devices.offline_bundle import (
    OfflineResult,
    OfflineUnit,
    judge_offline_results,
    write_offline_bundle,
)
from crawler.validate.devices.unit_runs import RunOptions
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does

VERDICT = Verdict(status=Status.PASS)
TOOLCHAIN = Toolchain(compiler="clang")


@pytest.fixture
def blobs() -> Blobs:
    return Blobs()


@pytest.fixture
def folder(tmp_path: Path, blobs: Blobs) -> Path:
    """Write one unit, and return the folder."""
    unit = kernels.unit(Dialect.CUDA)
    case = kernels.case(Does.ITS_WORK, blobs, n=8)
    bundled_unit = BundledUnit(
        unit="u",
        kernel_name="k",
        dialect="cuda",
        target="sm_90",
        form="ptx",
        object=blobs.put(b"object"),
        entries=(Entry(label="", symbol="k"),),
        suite=kernels.suite(unit, [case]),
    )
    build = Build(unit="u", target="sm_90", toolchain=TOOLCHAIN, pass_call=VERDICT)
    cpu_run = Run(
        unit="u",
        device="cpu",
        toolchain=TOOLCHAIN,
        pass_exe=VERDICT,
        behaviour=Behaviour.DETERMINISTIC,
        cases=1,
    )
    offline_unit = OfflineUnit(name="scale", build=build, cpu=cpu_run)
    target = tmp_path / "bundle"
    write_offline_bundle([(bundled_unit, offline_unit)], blobs, RunOptions(), target)
    return target


def write_results(folder: Path, outputs: bytes) -> Path:
    """Write what the other machine would: a device, and the outputs of both launches."""
    results = folder.parent / "results"
    (results / "u").mkdir(parents=True)
    launches = [
        {"fill": fill, "buffers": [None, [offset, 32]]}
        for fill, offset in ((0xFF, 0), (0x5A, 32))
    ]
    lines = [
        {"what": "device", "name": "NVIDIA H100", "arch": "sm_90"},
        {"what": "case", "name": "ordinary", "runs": launches},
        {"what": "health", "ok": True},
        {"what": "end", "exit": 0, "seconds": 1.5},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (results / "u" / "report").write_text(text)
    (results / "u" / "outputs").write_bytes(outputs)
    return results


def judge_single(folder: Path, results: Path) -> OfflineResult:
    (result,) = judge_offline_results(folder, results)
    return result


def read_gold(folder: Path) -> bytes:
    (file,) = (folder / "kept/gold").iterdir()
    return file.read_bytes()


def test_golden_outputs_stay_and_everything_else_is_carried(folder: Path) -> None:
    carried = {file.name for file in (folder / "carried").iterdir()}
    assert carried == {"bundle", "runner.pyz", "README.txt"}
    bundle = {file.name for file in (folder / "carried/bundle").iterdir()}
    assert bundle == {"manifest.json", "job.json", "objects", "inputs"}
    kept = {file.name for file in (folder / "kept").iterdir()}
    assert kept == {"manifest.json", "gold", "known.json"}


def test_right_results_pass_on_the_device_that_they_come_from(folder: Path) -> None:
    result = judge_single(folder, write_results(folder, 2 * read_gold(folder)))
    assert result.name == "scale"
    assert result.run.pass_exe == VERDICT
    assert (result.run.device, result.run.details) == ("cuda:sm_90", "NVIDIA H100")
    assert (result.run.cases, result.run.seconds) == (1, 1.5)
    assert (result.is_loaded, result.is_healthy) == (True, True)


def test_wrong_results_fail(folder: Path) -> None:
    result = judge_single(folder, write_results(folder, b"\1" * 64))
    assert result.run.pass_exe.code == "wrong-value"


def test_results_without_a_report_are_no_pass(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    result = judge_single(folder, empty)
    assert result.run.pass_exe.code == "timeout"
    assert result.run.device == "cuda:sm_90"
    assert (result.is_loaded, result.is_healthy) == (None, None)


def test_a_folder_that_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="there is no folder") as error:
        judge_single(folder, tmp_path / "nowhere")
    assert error.value.code == "no-folder"


def test_a_golden_output_that_changed_is_refused(folder: Path) -> None:
    results = write_results(folder, 2 * read_gold(folder))
    (file,) = (folder / "kept/gold").iterdir()
    file.write_bytes(b"\1" * 32)
    with pytest.raises(Misconfigured, match="is not what was written there"):
        judge_single(folder, results)


def test_a_list_of_units_that_is_cut_off_is_refused(folder: Path) -> None:
    results = write_results(folder, 2 * read_gold(folder))
    file = folder / "kept/known.json"
    file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(Misconfigured, match="cannot be read"):
        judge_single(folder, results)


def test_a_report_that_is_larger_than_any_is_refused(folder: Path) -> None:
    results = write_results(folder, b"")
    with (results / "u" / "report").open("ab") as report:
        report.truncate((64 << 20) + 1)
    with pytest.raises(Misconfigured, match="larger than a runner writes"):
        judge_single(folder, results)
