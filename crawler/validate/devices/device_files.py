"""Device files of GPUs under `/dev`: those of one GPU, and those that all of them share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_DEV: Final = Path("/dev")
_KFD_TOPOLOGY: Final = Path("/sys/class/kfd/kfd/topology/nodes")
"""Where the kernel driver of AMD lists its nodes: processors and GPUs."""
# `dxg` stands for all GPUs in WSL.
_SHARED_NAMES: Final = {
    "rocm": ("kfd", "dxg"),
    "cuda": ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "dxg"),
}


def list_shared_files(runtime: str) -> tuple[Path, ...]:
    """Return the device files that all GPUs of a runtime share."""
    paths = [_DEV / name for name in _SHARED_NAMES[runtime]]
    if runtime == "cuda":
        # A partition of a GPU (MIG) is opened by its capabilities.
        paths += sorted((_DEV / "nvidia-caps").glob("*"))

    return tuple(path for path in paths if path.exists())


def list_gpu_files(runtime: str) -> tuple[Path, ...]:
    """Return the device files of each GPU of a runtime, without those that they share."""
    if runtime == "cuda":
        # Beside them lie `nvidiactl` and others that are shared.
        names = re.compile(r"nvidia\d+")
        paths = _DEV.glob("nvidia*")

        return tuple(sorted(path for path in paths if names.fullmatch(path.name)))

    # Render nodes of other vendors' cards lie there, too.
    if not (_DEV / "kfd").exists():
        return ()

    return tuple(sorted((_DEV / "dri").glob("renderD*")))


def find_gpu_files(runtime: str, index: int) -> tuple[Path, ...]:
    """Return the device files of one GPU alone.

    There are none where the system does not tell which they are.
    """
    paths = list(list_gpu_files(runtime))
    if runtime == "rocm":
        paths = list_render_nodes(_KFD_TOPOLOGY)

    # A container with some of the GPUs still sees all of them listed, and its driver counts
    # those that it has.
    present = [path for path in paths if path.exists()]
    return tuple(present[index : index + 1])


def list_render_nodes(topology: Path) -> list[Path]:
    """Return the render node of each AMD GPU, in the order in which the driver numbers them."""
    nodes: list[Path] = []
    folders = topology.glob("[0-9]*")

    for folder in sorted(folders, key=lambda folder: int(folder.name)):
        properties = _read_properties(folder / "properties")
        minor = re.search(r"^drm_render_minor (\d+)$", properties, re.M)
        simd_count = re.search(r"^simd_count (\d+)$", properties, re.M)

        # A node without SIMDs is a processor.
        if minor and simd_count and int(simd_count[1]):
            nodes.append(Path(f"/dev/dri/renderD{minor[1]}"))

    return nodes


def _read_properties(file: Path) -> str:
    """Return the properties of a node; empty in a container that does not have it."""
    try:
        return file.read_text("ascii", "replace")
    except OSError:
        return ""
