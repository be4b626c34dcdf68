"""A CUDA device over the host's memory, in a build of PyTorch for the CPU."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from crawler.toolchains import discovery
from crawler.validate.suites import suite_runs
from crawler.validate.suites.device_libraries import build_device_libraries
from crawler.validate.suites.torch_environment import open_torch_environment

pytestmark = pytest.mark.apt
PYTHON = os.environ.get("TESTS_TORCH_PYTHON", "")
INSIDE = Path(suite_runs.__file__).parent / "inside"
CHECKS = Path(__file__).parent / "torch_device_checks.py"
HEAD = f"""
import ctypes, os, sys
runtime = ctypes.CDLL(os.environ["KERNELSET_RUNTIME"], mode=ctypes.RTLD_GLOBAL)
ctypes.CDLL(os.environ["KERNELSET_TORCH_DEVICE"], mode=ctypes.RTLD_GLOBAL)
import torch
sys.path.insert(0, {str(INSIDE)!r})
import cuda_python
cuda_python.install()
"""


@pytest.fixture(scope="module")
def variables() -> dict[str, str]:
    """Return the environment of a process that has the device."""
    if not Path(PYTHON).is_file():
        pytest.skip("TESTS_TORCH_PYTHON names no Python with PyTorch")

    clang = discovery.find_clang()
    assert clang is not None
    environment = open_torch_environment(PYTHON)
    libraries = build_device_libraries(clang.path, environment)
    return {
        **os.environ,
        "KERNELSET_RUNTIME": str(libraries.runtime),
        "KERNELSET_TORCH_DEVICE": str(libraries.torch),
        "LD_LIBRARY_PATH": environment.library_folder,
        "KERNELSET_LOG": os.devnull,
        "OMP_NUM_THREADS": "1",
    }


def run(variables: dict[str, str], *words: str) -> str:
    """Return what the Python with PyTorch prints."""
    completed = subprocess.run(
        (PYTHON, "-W", "ignore", *words),
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    return completed.stdout


def run_script(variables: dict[str, str], script: str) -> str:
    return run(variables, "-c", HEAD + script).strip()


def test_operators_do_what_they_do_on_the_cpu(variables: dict[str, str]) -> None:
    lines = run(variables, str(CHECKS), str(INSIDE)).splitlines()

    assert [line for line in lines if line.startswith("differs")] == []
    assert int(lines[-1].removeprefix("checked ")) > 100


def test_tensors_are_of_the_device_to_a_project(variables: dict[str, str]) -> None:
    script = """
x = torch.ones(3).cuda()
print(torch.cuda.is_available(), x.is_cuda, x.device, x[1:].is_cuda, x.cpu().device)
"""
    assert run_script(variables, script) == "True True cuda:0 True cpu"


def test_a_tensor_of_the_host_beside_one_of_the_device_is_refused(
    variables: dict[str, str],
) -> None:
    script = """
try:
    torch.ones(3) + torch.ones(3, device="cuda")
except RuntimeError as error:
    print(str(error)[:48])
print((torch.ones(3, device="cuda") + torch.tensor(1.0)).sum().item())
"""
    expected = "Expected all tensors to be on the same device, b\n6.0"
    assert run_script(variables, script) == expected


def test_memory_of_tensors_is_given_back(variables: dict[str, str]) -> None:
    script = """
for _ in range(2000):
    torch.empty(250_000, device="cuda").fill_(1)
# the peak that getrusage tells begins with that of the process which started this one
(peak,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(peak.split()[1]) < 1_500_000)
"""
    assert run_script(variables, script) == "True"


def test_memory_that_nobody_wrote_holds_a_pattern(variables: dict[str, str]) -> None:
    script = """
print(torch.empty(2, device="cuda", dtype=torch.int).tolist())
print(torch.zeros(2, device="cuda", dtype=torch.int).tolist())
"""
    assert run_script(variables, script) == "[-1, -1]\n[0, 0]"
