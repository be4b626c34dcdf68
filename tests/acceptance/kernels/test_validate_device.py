"""A stranger's kernel on a GPU from the command line, with no crawl; without a GPU it is
skipped, and says why.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.stand_ins import drivers, saxpy

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stranger") / "saxpy.cu"
    path.write_text(saxpy.UNIT)
    return path


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saxpy.driver(tmp_path_factory.mktemp("rocm"))


def test_a_cuda_kernel_runs_as_hip(
    kernelset: Kernelset, file: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    (row,) = kernelset.rows(
        "validate", file, "--device", "rocm:gfx90a", "--baseline", "1000"
    )
    assert row["pass_exe"] == {"status": "pass", "code": "", "message": ""}
    assert row["device"] == "rocm:gfx90a"
    assert row["details"] == "AMD Stand-in, sramecc+:xnack-"
    assert row["cases"] >= 6
    assert row["oracle"] == "cpu_simt"
    assert row["healthy"]
    measured = row["performance"]
    assert measured["launches"] >= 50
    # of x and y and of what comes out, and what a thread's number and `a * x + y` take
    assert measured["bytes_moved"] % 12 == 0
    assert measured["operations"] > 0
    assert 0 < measured["roofline"] < 1
    assert row["pass_perf"]["status"] == "pass"
    (built,) = row["builds"]
    assert (built["form"], built["loaded"], built["pass_call"]["status"]) == (
        "code",
        True,
        "pass",
    )


def run_on_a_bare_machine(carried: Path, elsewhere: Path, library: Path) -> Path:
    """Copy what is carried and run it with a Python alone; returns the folder of its results."""
    shutil.copytree(carried, elsewhere)
    words: list[str | Path] = [
        sys.executable,
        "-I",
        "-S",
        "runner.pyz",
        "bundle",
        "results",
        library,
    ]
    subprocess.run(words, cwd=elsewhere, env={}, check=True, capture_output=True)
    return elsewhere / "results"


def test_what_was_carried_to_a_bare_machine_is_judged_when_it_is_back(
    kernelset: Kernelset, file: Path, library: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    (written,) = kernelset.rows(
        "bundle", "write", away, file, "--target", "gfx90a", "--time"
    )
    assert (Path(written["file"]).name, written["code"], written["cases"] >= 6) == (
        "saxpy.cu",
        "",
        True,
    )
    # nothing that is carried tells what ought to come out
    golden = {path.name for path in (away / "kept/gold").iterdir()}
    assert golden
    assert not golden & {path.name for path in (away / "carried").rglob("*")}

    results = run_on_a_bare_machine(away / "carried", tmp_path / "elsewhere", library)
    (row,) = kernelset.rows("bundle", "judge", away, results)
    assert (row["name"], row["device"], row["details"]) == (
        "saxpy",
        "rocm:gfx90a",
        "AMD Stand-in, sramecc+:xnack-",
    )
    assert (row["pass_exe"]["status"], row["loaded"], row["healthy"]) == (
        "pass",
        True,
        True,
    )
    assert (row["pass_perf"]["code"], row["performance"]["launches"] >= 50) == (
        "no-baseline",
        True,
    )

    # what came back is a stranger's: a byte of an output changed, and no output at all
    (folder,) = results.iterdir()
    outputs = bytearray((folder / "outputs").read_bytes())
    outputs[3] ^= 0x40
    (folder / "outputs").write_bytes(outputs)
    (row,) = kernelset.rows("bundle", "judge", away, results)
    assert (row["pass_exe"]["status"], row["pass_exe"]["code"]) == (
        "fail",
        "wrong-value",
    )
    shutil.rmtree(folder)
    assert (
        "saxpy  rocm:gfx90a  fail  timeout"
        in kernelset.run("bundle", "judge", away, results).stdout
    )
    (away / "kept/gold" / min(golden)).write_bytes(b"")
    assert (
        "[bad-bundle]" in kernelset.run("bundle", "judge", away, results, code=2).stderr
    )
    assert (
        "[folder-exists]"
        in kernelset.run(
            "bundle", "write", away, file, "--target", "gfx90a", code=2
        ).stderr
    )


def test_without_a_gpu_it_is_skipped(kernelset: Kernelset, file: Path) -> None:
    (row,) = kernelset.rows("validate", file, "--device", "rocm:gfx9ff")
    assert (row["pass_exe"]["status"], row["pass_exe"]["code"]) == (
        "skipped",
        "no-device",
    )
    assert (
        "skipped  no-device"
        in kernelset.run("validate", file, "--device", "rocm:gfx9ff").stdout
    )


def test_what_is_no_device_is_the_users_mistake(
    kernelset: Kernelset, file: Path
) -> None:
    assert (
        "rocm:gfx942"
        in kernelset.run("validate", file, "--device", "tpu", code=2).stderr
    )


def test_doctor_shows_the_gpus_that_open(
    kernelset: Kernelset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = drivers.install(tmp_path / "driver", "cuda", devices=2)
    tmp_path.chmod(0o755)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    findings = {row["name"]: row for row in kernelset.rows("doctor")}
    assert (findings["NVIDIA GPUs"]["state"], findings["NVIDIA GPUs"]["found"]) == (
        "ok",
        "2 cuda:sm_90 NVIDIA Stand-in",
    )
