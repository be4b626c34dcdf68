"""The walkthrough of the documentation: from a project to what other programs load."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.conftest import PROGRAM

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
PYTHON = os.environ.get("TESTS_READERS_PYTHON", "")
WALKTHROUGH = Path(__file__).parents[2] / "docs/walkthrough.py"
SOURCE = """
__global__ void scale(float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
void launch(float* x, float a, int n) { scale<<<(n + 255) / 256, 256>>>(x, a, n); }
"""


@pytest.mark.skipif(
    not Path(PYTHON).is_file(),
    reason="TESTS_READERS_PYTHON names no Python with the readers of datasets",
)
def test_other_programs_load_what_is_exported(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "scale.cu").write_text(SOURCE)
    search_path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        [PYTHON, WALKTHROUGH, project, tmp_path / "out"],
        # what is loaded lies here: nobody is asked for anything
        env={**kernelset.environment, "PATH": search_path, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "train 1 pairs, of ['scale']" in result.stdout
    assert "│ pass_exe" in result.stdout
    assert 'scale {"cpu":"pass"}' in result.stdout
