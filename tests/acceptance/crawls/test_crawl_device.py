"""A crawl that runs its kernels on a GPU, with the cases that the CPU run found; without one
they are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.stand_ins import saxpy

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
LAUNCH = """
void launch(const float* x, const float* y, float* out, float a, int n) {
  saxpy<<<(n + 127) / 128, 128>>>(x, y, out, a, n);
}
"""


def test_what_ran_on_the_cpu_runs_on_the_gpus_that_a_crawl_names(
    another_home: Callable[[], Kernelset],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = tmp_path / "one"
    project.mkdir()
    (project / "kernels.cu").write_text(saxpy.KERNEL + LAUNCH)
    (project / "LICENSE").write_text("SPDX-License-Identifier: MIT\n")
    kernelset = another_home()
    kernelset.home.mkdir()
    (kernelset.home / "kernelset.toml").write_text("strength_seconds = 0.0\n")
    library = saxpy.driver(tmp_path)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    output = kernelset.run(
        "crawl", project, "--targets", "gfx90a", "--device", "rocm:gfx9ff,rocm"
    ).stdout
    assert "ran on rocm:gfx90a" in output, output
    # that there is no such GPU here is no task's error
    assert "failures none" in " ".join(output.split())
    (row,) = kernelset.rows("query", "name = saxpy")
    assert row["pass_exe"] == {
        "cpu": "pass",
        "rocm:gfx9ff": "skipped",
        "rocm:gfx90a": "pass",
    }
    # nothing to hold its time against yet: neither right nor wrong
    assert row["pass_perf"] == {"rocm:gfx90a": "skipped"}
    kernelset.sound()
