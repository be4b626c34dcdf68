"""A crawl that runs its kernels: each comes to a verdict by itself, and a vicious one costs
itself alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
SOURCE = """
__global__ void saxpy(const float* x, float* out, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + 1.0f;
}
__global__ void forever(float* out, int n) {
  volatile int go = 1;
  while (go) {}
  out[threadIdx.x] = n;
}
__global__ void wild(float* out, int n) {
  *reinterpret_cast<volatile int*>(16) = n;
  out[threadIdx.x] = n;
}
__global__ void hungry(float* out, int n) {
  volatile int go = 1;
  while (go) {
    volatile char* more = static_cast<char*>(malloc(1 << 20));
    for (int i = 0; more && i < (1 << 20); i += 4096) more[i] = 1;
  }
  out[threadIdx.x] = n;
}
void launch(const float* x, float* out, float a, int n) {
  saxpy<<<(n + 127) / 128, 128>>>(x, out, a, n);
  forever<<<1, 32>>>(out, n);
  wild<<<1, 32>>>(out, n);
  hungry<<<1, 32>>>(out, n);
}
"""


@dataclass(frozen=True)
class Ran:
    """A crawl whose kernels were run in a second go."""

    kernelset: Kernelset
    project: Path
    before: str
    after: str

    def row(self, name: str) -> dict[str, Any]:
        (row,) = self.kernelset.rows("query", f"name = {name}")
        return row


@pytest.fixture(scope="module")
def ran(
    tmp_path_factory: pytest.TempPathFactory, another_home: Callable[[], Kernelset]
) -> Ran:
    project = tmp_path_factory.mktemp("runs") / "vicious"
    project.mkdir()
    (project / "kernels.cu").write_text(SOURCE)
    (project / "LICENSE").write_text("SPDX-License-Identifier: MIT\n")
    kernelset = another_home()
    kernelset.home.mkdir()
    (kernelset.home / "kernelset.toml").write_text("strength_seconds = 0.0\n")
    before = kernelset.run("crawl", project, "--targets", "sm_80").stdout
    after = kernelset.run(
        "crawl", project, "--device", "cpu", "--targets", "sm_80", seconds=600
    ).stdout
    return Ran(kernelset, project, before, after)


def test_without_a_device_nothing_is_run_and_it_says_how(ran: Ran) -> None:
    assert "ran on" not in ran.before
    assert (
        "not run yet         1 batches of kernels: the same command with --device cpu"
        in ran.before
    )


def test_each_kernel_has_a_verdict_and_a_vicious_one_costs_itself_alone(
    ran: Ran,
) -> None:
    assert "ran on cpu" in ran.after
    assert re.search(r"^failures +none$", ran.after, re.MULTILINE)
    assert re.search(
        r"^ran on cpu .*consistent 1 \[agrees with itself; meaning not proven\]",
        ran.after,
        re.MULTILINE,
    )
    assert ran.row("saxpy")["pass_exe"] == {"cpu": "consistent"}
    assert ran.row("forever")["pass_exe"]["cpu"] in ("fail", "unsupported")
    assert "timeout" in ran.row("forever")["reasons"]
    assert ran.row("wild")["pass_exe"] == {"cpu": "fail"}
    assert "sm_80:pass cpu:fail" in ran.kernelset.run("query", "name = wild").stdout
    assert ran.row("hungry")["pass_exe"]["cpu"] in ("fail", "unsupported")
    assert {"killed", "timeout"} & set(ran.row("hungry")["reasons"])
    names = {
        row["name"]
        for row in ran.kernelset.rows(
            "query", "pass_exe.cpu = fail reasons = timeout,fault"
        )
    }
    # whether memory or time ends first depends on how fast the machine is
    assert names - {"hungry"} == {"forever", "wild"}


def test_what_ran_is_shown_and_exported_with_tests(ran: Ran, tmp_path: Path) -> None:
    output = ran.kernelset.run("show", "saxpy").stdout
    assert "run            cpu consistent" in output
    assert "case ordinary: <<<" in output
    assert "case hidden: <<<" in output
    ran.kernelset.run(
        "export", "kernels", tmp_path / "out", "--depth", "full", "--licence", "any"
    )
    (described,) = (tmp_path / "out").glob("*/saxpy/saxpy.json")
    description = json.loads(described.read_text())
    assert description["pass_exe"] == {"cpu": "consistent"}
    own, *_ = description["test_files"]
    test = tmp_path / "out" / own
    cases = (test.parent / "judge" / f"{test.stem}.cases").read_text()
    assert all(case["name"] in cases for case in description["suites"][0]["cases"])
    assert "hidden" not in cases
    assert "ordinary" not in test.read_text()


def test_only_what_was_missing_was_done_and_nothing_is_done_twice(ran: Ran) -> None:
    assert re.search(r"^this run +1 tasks ", ran.after, re.MULTILINE)
    assert ran.kernelset.rows("storage", "gc", "--grace", "0") == [
        {"blobs": 0, "bytes": 0, "strays": 0, "doomed": 0}
    ]
    again = ran.kernelset.run(
        "crawl", ran.project, "--device", "cpu", "--targets", "sm_80"
    ).stdout
    assert "nothing was redone" in again
    ran.kernelset.sound()


def test_the_funnel_has_the_stage(ran: Ran) -> None:
    (status,) = ran.kernelset.rows("status")
    assert status["ran"]["cpu"]["consistent"] == 1
    assert status["to_run"] == 0
    assert {"stage": "validate.cpu", "state": "done", "code": "", "tasks": 1} in status[
        "tasks"
    ]


def test_a_device_that_nothing_here_runs_on_is_refused(ran: Ran) -> None:
    assert (
        "tpu"
        in ran.kernelset.run("crawl", ran.project, "--device", "tpu", code=2).stderr
    )
