"""Read which device torch registrations are for: `CPU`, `CUDA`."""

from __future__ import annotations

import re
from typing import Final

# `TORCH_LIBRARY_IMPL(lib, CPU, m) { … }`, also that of torch's stable interface
_DEVICE_BLOCK: Final = re.compile(
    r"TORCH_LIBRARY_IMPL\s*+\(\s*+\w++\s*+,\s*+(?:\w++::)*+(\w++)\s*+,"
)
# `impl("add", torch::kCPU, &add)`, `impl("add", torch::dispatch(DispatchKey::CPU, add))`
_DEVICE_ARGUMENT: Final = re.compile(
    r"\s*+,\s*+(?:(?:\w++::)*dispatch\s*+\(\s*+)?"
    r"(?:\w++::)*(?:(?:DispatchKey|DeviceType)::|k)([A-Z]\w*+)\s*+,"
)


def read_block_key(head: str) -> str:
    """Return the device of a block of registrations; empty where the head opens none."""
    block = _DEVICE_BLOCK.search(head)
    return block[1] if block else ""


def read_argument_key(code: str, name_end: int, end: int) -> str:
    """Return the device that stands behind the name in a registration, if one does."""
    argument = _DEVICE_ARGUMENT.match(code, name_end, end)
    return argument[1] if argument else ""
