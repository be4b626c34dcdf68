"""Detect this machine's GPUs: their drivers, device files and properties."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from crawler.model import Status, Verdict
from crawler.validate.devices import device_files as files
from crawler.validate.devices.inventory.vendor_tools import list_gpus
from crawler.validate.devices.runner_io.sandboxed_runner import run_runner
from crawler.validate.runner.vendors import VENDORS

RUNTIMES: Final = tuple(VENDORS)
_LIBRARY_FOLDERS: Final = (
    "/opt/rocm/lib",
    "/opt/rocm/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/usr/local/cuda/compat",
)
_PROBE_SECONDS: Final = 60.0
_VISIBILITY_VARIABLES: Final = {
    "rocm": ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"),
    "cuda": ("CUDA_VISIBLE_DEVICES",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One device that a driver serves."""

    runtime: str
    """`rocm` or `cuda`."""
    index: int
    """Number among those of its runtime on this machine, as `ROCR_VISIBLE_DEVICES` or
    `CUDA_VISIBLE_DEVICES` count.
    """
    name: str
    """The model, as its driver calls it."""
    arch: str
    """`gfx942`, `sm_90`."""
    features: str = ""
    """`sramecc+:xnack-`."""
    partition: str = ""
    """`SPX`, `CPX/NPS4`, where a tool of its vendor tells it."""
    driver: str = ""
    memory_bytes: int = 0
    library: Path
    device_files: tuple[Path, ...] = ()
    """Its device files, and those that all devices of its runtime share."""

    @property
    def device(self) -> str:
        """Name of the device in verdicts: `rocm:gfx942`."""
        return f"{self.runtime}:{self.arch}"

    @property
    def details(self) -> str:
        """Which device of its kind: `AMD Instinct MI300X, sramecc+:xnack-, CPX/NPS4`."""
        details = (self.name, self.features, self.partition)
        return ", ".join(detail for detail in details if detail)

    @property
    def environment(self) -> dict[str, str]:
        """Environment in which a worker on this machine sees this device alone."""
        return {self._visibility_variable: str(self.index)}

    @property
    def sandbox_environment(self) -> dict[str, str]:
        """The same environment in the sandbox.

        There only the device's own files are seen, so that it is the first, where they are
        known.
        """
        index = self.index
        if files.find_gpu_files(self.runtime, self.index):
            index = 0

        return {self._visibility_variable: str(index)}

    @property
    def _visibility_variable(self) -> str:
        return _VISIBILITY_VARIABLES[self.runtime][0]


def find_driver_library(runtime: str) -> Path | None:
    """Return the driver's library, where there is one."""
    search_path = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders = [folder for folder in search_path if folder]
    folders.extend(_LIBRARY_FOLDERS)

    # The user's own path comes first, as for the dynamic linker.
    for folder in folders:
        for name in VENDORS[runtime].libraries:
            library = Path(folder) / name
            if library.is_file():
                return library

    return None


def detect_gpus(runtime: str) -> tuple[Gpu, ...]:
    """Return the devices of a runtime that a program can really open.

    Only those count that this process's environment leaves visible. Raises `MissingTool` where
    the sandbox does not work.
    """
    library = find_driver_library(runtime)
    if library is None:
        return ()

    gpus = probe_gpus(runtime, library)
    return tuple(gpu for gpu in gpus if is_visible(gpu, os.environ))


def find_gpu(device: str) -> Gpu | None:
    """Return the first GPU that `rocm`, `cuda`, or `rocm:gfx942` names; `None` for none."""
    runtime, _, arch = device.partition(":")
    if runtime not in RUNTIMES:
        return None

    for gpu in detect_gpus(runtime):
        if arch in ("", gpu.arch):
            return gpu

    return None


def explain_missing_gpu(device: str) -> Verdict:
    """Return why nothing is run on `device`, which no GPU here is."""
    runtime = device.partition(":")[0]
    present = ", ".join(gpu.device for gpu in detect_gpus(runtime))
    if present:
        message = (
            f"there are {present} here, and no {device}: "
            "run it on a machine that has one"
        )
    elif find_driver_library(runtime) is None:
        message = (
            f"there is no driver of {runtime} here: "
            "run it on a machine that has one, or see `kernelset doctor`"
        )
    else:
        message = f"the driver of {runtime} finds no device: see `kernelset doctor`"

    return Verdict(
        status=Status.SKIPPED,
        code="no-device",
        message=message,
    )


@cache
def probe_gpus(runtime: str, library: Path) -> tuple[Gpu, ...]:
    """Return all devices that a driver's library opens and that work, by probing each once."""
    device_files = (*files.list_shared_files(runtime), *files.list_gpu_files(runtime))
    completed = run_runner(
        ("--probe", runtime, str(library)),
        library,
        device_files,
        seconds=_PROBE_SECONDS,
    )

    listing = list_gpus(runtime)
    # The library does not tell of partitions, and the vendor's tools do.
    partitions: dict[int, str] = {}
    if listing:
        partitions = {gpu.index: gpu.partition for gpu in listing.gpus}

    return tuple(
        build_gpu(runtime, library, description, partitions)
        for description in _iter_descriptions(completed.output)
    )


def build_gpu(
    runtime: str,
    library: Path,
    description: Mapping[str, Any],
    partitions: Mapping[int, str],
) -> Gpu:
    """Return a device from its description by the runner and the partitions by index."""
    index = int(description.get("index", 0))
    # All of them, where none can be told from the others.
    gpu_files = files.find_gpu_files(runtime, index)
    if not gpu_files:
        gpu_files = files.list_gpu_files(runtime)

    return Gpu(
        runtime=runtime,
        index=index,
        name=str(description.get("name", "")),
        arch=str(description["arch"]),
        features=str(description.get("features", "")),
        partition=partitions.get(index, ""),
        driver=str(description.get("driver", "")),
        memory_bytes=int(description.get("memory_bytes", 0)),
        library=library,
        device_files=(*files.list_shared_files(runtime), *gpu_files),
    )


def is_visible(gpu: Gpu, environment: Mapping[str, str]) -> bool:
    """Tell whether the environment leaves a GPU visible, which it names by number.

    A GPU that it names in another way, such as by UUID, counts as hidden.
    """
    for variable in _VISIBILITY_VARIABLES[gpu.runtime]:
        indices = environment.get(variable)
        if indices is not None:
            visible_indices = [index.strip() for index in indices.split(",")]
            return str(gpu.index) in visible_indices

    return True


def _iter_descriptions(output: bytes) -> Iterator[dict[str, Any]]:
    for line in output.splitlines():
        try:
            description = json.loads(line)
        except ValueError:
            continue

        if not isinstance(description, dict):
            continue
        # A device that fails its health check is out of service until it passes again.
        if description.get("arch") and not description.get("wrong"):
            yield description
