"""Parse `hipconfig`: the installed HIP and the platform that it compiles for."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HipInstallation:
    """An installed HIP; every field is empty where the tool does not tell it."""

    version: str = ""
    platform: str = ""
    """`amd` or `nvidia`."""
    compiler: str = ""
    rocm_path: str = ""


def parse(text: str) -> HipInstallation:
    """Parse the output of `hipconfig` or `hipconfig --version`."""
    # The bare version is what `--version` prints.
    version = re.match(r"\s*(\d+\.\d+[\w.+-]*)\s*\Z", text)
    if version:
        return HipInstallation(version=version[1])

    # Older versions name the platform after its compiler, `hcc` or `nvcc`.
    platform = _find_value(r"HIP_PLATFORM\s*:", text)
    platform = platform.replace("hcc", "amd").replace("nvcc", "nvidia")

    return HipInstallation(
        version=_find_value(r"HIP version\s*:", text),
        platform=platform,
        compiler=_find_value(r"HIP_COMPILER\s*:", text),
        rocm_path=_find_value(r"(?:ROCM_PATH|HIP_PATH)\s*:", text),
    )


def _find_value(name_pattern: str, text: str) -> str:
    line = re.search(rf"^\s*{name_pattern}\s*(\S+)", text, re.MULTILINE)
    return line[1] if line else ""
