"""A problem is built and run as it stands, with the project's kernel and with a wrong one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from crawler import headers
from crawler.dataset.views.computeeval import PLUGIN, ComputeEvalRow
from crawler.toolchains import discovery
from tests.integration.harness.validated_record import validate_record

pytestmark = [pytest.mark.apt, pytest.mark.slow]


@pytest.fixture(scope="module", params=["axpy_kernel", "block_sum"])
def problem(request: pytest.FixtureRequest) -> ComputeEvalRow:
    """Give the problem of a kernel that was run just now."""
    ran, context = validate_record(request.param)
    row: ComputeEvalRow = next(PLUGIN.make_rows(ran, context))
    return row


def solve(
    problem: ComputeEvalRow, folder: Path, solution: str
) -> subprocess.CompletedProcess[str]:
    """Lay the problem out as ComputeEval does, and build and test a solution."""
    files = [(file.path, file.content) for file in problem.context_files]
    files.append(("solution.cu", solution))
    files += [(file.path, file.content) for file in problem.test_files]
    shutil.copytree(headers.ROOT, folder / "include")
    for path, content in files:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(content)

    clang = discovery.find_clang()
    assert clang is not None
    environment = {**os.environ, "CXX": str(clang.path)}
    command = f"{problem.cpu_build_command} && {problem.test_command}"
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_projects_own_kernel_solves_it(
    problem: ComputeEvalRow, tmp_path: Path
) -> None:
    (solution,) = problem.baseline_solution.files
    ended = solve(problem, tmp_path, solution.content)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "All tests passed!" in ended.stdout


def test_a_kernel_that_writes_nothing_does_not(
    problem: ComputeEvalRow, tmp_path: Path
) -> None:
    (solution,) = problem.baseline_solution.files
    head, brace, body = solution.content.partition(") {")
    assert brace
    ended = solve(problem, tmp_path, f"{head}) {{ return;{body}")
    assert ended.returncode != 0
    assert "All tests passed!" not in ended.stdout
