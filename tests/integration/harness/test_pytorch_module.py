"""A module of the view `pytorch` is built and tested as it stands, on the CPU model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.dataset.views.pytorch import PLUGIN, PyTorchRow
from crawler.validate.suites.suite_report import SuiteReport, observe_suite
from crawler.validate.suites.torch_environment import open_torch_environment
from tests.integration.harness.validated_record import validate_record

pytestmark = [pytest.mark.apt, pytest.mark.slow]
PYTHON = os.environ.get("TESTS_TORCH_PYTHON", "")


@pytest.fixture(scope="module", params=["scale_kernel", "block_sum"])
def row(request: pytest.FixtureRequest) -> PyTorchRow:
    """Give the module of a kernel that was run just now."""
    ran, context = validate_record(request.param)
    module_row: PyTorchRow = next(PLUGIN.make_rows(ran, context))
    return module_row


def run_tests(row: PyTorchRow, folder: Path) -> SuiteReport:
    if not Path(PYTHON).is_file():
        pytest.skip("TESTS_TORCH_PYTHON names no Python with PyTorch")

    folder.chmod(0o755)
    for name, text in row.files.items():
        (folder / name).write_text(text)
    return observe_suite(open_tree(folder), open_torch_environment(PYTHON))


def test_the_launch_follows_from_what_the_function_takes(row: PyTorchRow) -> None:
    assert all("numel()" in part or "_" in part or part == "1" for part in row.grid)
    assert set(row.grid) != {"1"}
    assert row.cases >= 3
    source = row.files[f"{row.folder}.cu"]
    assert f"const dim3 blocks({', '.join(row.grid)});" in source
    assert "void kernel_function(" in source
    assert "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)" in source


def test_the_module_passes_its_own_test(row: PyTorchRow, tmp_path: Path) -> None:
    report = run_tests(row, tmp_path)
    assert (report.code, report.broken) == ("", {})
    assert report.outcomes == {"passed": row.cases}
    assert report.launching == row.cases
    (kernel,) = report.kernels
    assert kernel.fault is None
    assert kernel.checking_test, "its test looks at nothing"


@pytest.mark.parametrize("row", ["scale_kernel"], indirect=True)
def test_a_wrong_launch_fails(row: PyTorchRow, tmp_path: Path) -> None:
    name = f"{row.folder}.cu"
    launch = f"blocks({', '.join(row.grid)})"
    wrong = row.files[name].replace(launch, "blocks(0, 1, 1)")
    assert wrong != row.files[name]
    report = run_tests(replace(row, files={**row.files, name: wrong}), tmp_path)
    assert report.outcomes.get("failed", 0) >= 1
