"""Detect this machine's GPUs: their drivers, device files and properties."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from crawler.model import Status, Verdict
from crawler.validate.devices.inventory.vendor_tools import list_gpus
from crawler.validate.devices.runner_io.sandboxed_runner import run_runner
from crawler.validate.runner.vendors import VENDORS

RUNTIMES: Final = tuple(VENDORS)
_FOLDERS: Final = (
    *(
        "/opt/rocm/lib",
        "/opt/rocm/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
    ),
    *(
        "/usr/lib",
        "/usr/lib/wsl/lib",
        "/usr/local/nvidia/lib64",
        "/usr/local/cuda/compat",
    ),
)
_KFD: Final = Path("/sys/class/kfd/kfd/topology/nodes")
_SECONDS: Final = 60.0
_VISIBLE: Final = {
    "rocm": ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"),
    "cuda": ("CUDA_VISIBLE_DEVICES",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One device that a driver serves."""

    runtime: str
    """`rocm` or `cuda`."""
    index: int
    """Among those of its runtime on this machine, as `ROCR_VISIBLE_DEVICES` or
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
        """How verdicts name it: `rocm:gfx942`."""
        return f"{self.runtime}:{self.arch}"

    @property
    def details(self) -> str:
        """Which device of its kind: `AMD Instinct MI300X, sramecc+:xnack-, CPX/NPS4`."""
        return ", ".join(filter(None, (self.name, self.features, self.partition)))

    @property
    def environment(self) -> dict[str, str]:
        """What shows a worker process on this machine this device alone: one worker a GPU."""
        return {_VISIBLE[self.runtime][0]: str(self.index)}

    @property
    def sandbox_environment(self) -> dict[str, str]:
        """The same in the sandbox, where only its own device files are seen, so that it is the
        first.
        """
        return {
            _VISIBLE[self.runtime][0]: str(
                0 if _own_nodes(self.runtime, self.index) else self.index
            )
        }


def find_driver_library(runtime: str) -> Path | None:
    """Return the driver's library, where there is one."""
    given = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders = [Path(folder) for folder in (*filter(None, given), *_FOLDERS)]
    places = (
        folder / name for folder in folders for name in VENDORS[runtime].libraries
    )
    return next((place for place in places if place.is_file()), None)


def detect_gpus(runtime: str) -> tuple[Gpu, ...]:
    """Return the devices of a runtime that a program can really open, of those that our own
    environment leaves us.

    Raises `MissingTool` where the sandbox does not work.
    """
    library = find_driver_library(runtime)
    found = _probed(runtime, library) if library else ()
    return tuple(each for each in found if _is_left(each, os.environ))


def find_gpu(device: str) -> Gpu | None:
    """Return the first GPU that is meant by `rocm`, `cuda`, or `rocm:gfx942`; `None` where
    there is none.
    """
    runtime, _, arch = device.partition(":")
    return (
        next((each for each in detect_gpus(runtime) if arch in ("", each.arch)), None)
        if runtime in RUNTIMES
        else None
    )


def _is_left(gpu: Gpu, environment: Mapping[str, str]) -> bool:
    """Tell whether the environment lets us use a GPU, which it names by number: what it names
    otherwise is not ours.
    """
    for name in _VISIBLE[gpu.runtime]:
        wanted = environment.get(name)
        if wanted is not None:
            return str(gpu.index) in (word.strip() for word in wanted.split(","))
    return True


def explain_missing_gpu(device: str) -> Verdict:
    """Return why nothing is run on `device`, which no GPU here is."""
    runtime = device.partition(":")[0]
    others = ", ".join(each.device for each in detect_gpus(runtime))
    if others:
        message = f"there are {others} here, and no {device}: run it on a machine that has one"
    elif find_driver_library(runtime) is None:
        message = f"there is no driver of {runtime} here: run it on a machine that has one, or see `kernelset doctor`"
    else:
        message = f"the driver of {runtime} finds no device: see `kernelset doctor`"
    return Verdict(status=Status.SKIPPED, code="no-device", message=message)


@cache
def _probed(runtime: str, library: Path) -> tuple[Gpu, ...]:
    nodes = (*_shared_nodes(runtime), *_all_own_nodes(runtime))
    told = run_runner(
        ("--probe", runtime, str(library)), library, nodes, seconds=_SECONDS
    )
    listing = list_gpus(runtime)
    partitions = (
        {each.index: each.partition for each in listing.gpus} if listing else {}
    )
    return tuple(
        _gpu(runtime, library, line, partitions) for line in _described(told.output)
    )


def _described(told: bytes) -> Iterator[dict[str, Any]]:
    for line in told.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        # one that does not do as it ought to is out of service until it does again
        if isinstance(found, dict) and found.get("arch") and not found.get("wrong"):
            yield found


def _gpu(
    runtime: str, library: Path, told: dict[str, Any], partitions: Mapping[int, str]
) -> Gpu:
    index = int(told.get("index", 0))
    own = _own_nodes(runtime, index)
    return Gpu(
        runtime=runtime,
        index=index,
        name=str(told.get("name", "")),
        arch=str(told["arch"]),
        features=str(told.get("features", "")),
        partition=partitions.get(index, ""),
        driver=str(told.get("driver", "")),
        memory_bytes=int(told.get("memory_bytes", 0)),
        library=library,
        device_files=(*_shared_nodes(runtime), *(own or _all_own_nodes(runtime))),
    )


def _shared_nodes(runtime: str) -> tuple[Path, ...]:
    names = (
        ("kfd", "dxg")
        if runtime == "rocm"
        else ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "dxg")
    )
    # what a part of a split GPU is opened by
    parts = sorted(Path("/dev/nvidia-caps").glob("*")) if runtime == "cuda" else []
    return tuple(
        path
        for path in (*(Path("/dev") / name for name in names), *parts)
        if path.exists()
    )


def _all_own_nodes(runtime: str) -> tuple[Path, ...]:
    if runtime == "rocm":
        return (
            tuple(sorted(Path("/dev/dri").glob("renderD*")))
            if Path("/dev/kfd").exists()
            else ()
        )
    return tuple(
        sorted(
            path
            for path in Path("/dev").glob("nvidia*")
            if re.fullmatch(r"nvidia\d+", path.name)
        )
    )


def _own_nodes(runtime: str, index: int) -> tuple[Path, ...]:
    """Return the device files of one GPU alone; nothing where the system does not tell which
    they are.
    """
    nodes = _render_nodes(_KFD) if runtime == "rocm" else _all_own_nodes(runtime)
    # a container that was given some of the GPUs still sees all of them listed, and its driver
    # counts its own
    return tuple(node for node in nodes if node.exists())[index : index + 1]


def _told(properties: Path) -> str:
    """Return what a node says of itself: nothing to a container that was not given it."""
    try:
        return properties.read_text("ascii", "replace")
    except OSError:
        return ""


def _render_nodes(topology: Path) -> list[Path]:
    """Return the render node of each GPU, in the order in which the kernel's driver numbers
    them.
    """
    found = []
    for folder in sorted(topology.glob("[0-9]*"), key=lambda each: int(each.name)):
        text = _told(folder / "properties")
        minor, simds = (
            re.search(rf"^{name} (\d+)$", text, re.M)
            for name in ("drm_render_minor", "simd_count")
        )
        if minor and simds and int(simds[1]):
            found.append(Path(f"/dev/dri/renderD{minor[1]}"))
    return found
