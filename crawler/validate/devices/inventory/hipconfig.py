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
    """Return what `hipconfig` or `hipconfig --version` prints."""
    bare = re.match(r"\s*(\d+\.\d+[\w.+-]*)\s*\Z", text)
    if bare:
        return HipInstallation(version=bare[1])
    return HipInstallation(
        version=_after(r"HIP version\s*:", text),
        platform=_after(r"HIP_PLATFORM\s*:", text)
        .replace("hcc", "amd")
        .replace("nvcc", "nvidia"),
        compiler=_after(r"HIP_COMPILER\s*:", text),
        rocm_path=_after(r"(?:ROCM_PATH|HIP_PATH)\s*:", text),
    )


def _after(name: str, text: str) -> str:
    found = re.search(rf"^\s*{name}\s*(\S+)", text, re.MULTILINE)
    return found[1] if found else ""
