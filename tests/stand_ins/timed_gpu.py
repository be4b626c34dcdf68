"""A GPU that stands for one of NVIDIA's where candidates are timed: its objects are of this CPU."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.judging import timed_sources
from crawler.model import KernelUnit
from crawler.validate.build import build_unit
from crawler.validate.bundle.kernel_symbols import match_kernel_symbols
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.validator_interface import Built
from tests.stand_ins import drivers


def install_timed_gpu(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Gpu:
    """Lay out the driver in a folder, and have kernels compiled for it."""
    monkeypatch.setattr(timed_sources, "compile_loadable", _compile)
    library = drivers.install(folder / "driver", "cuda", l2=1 << 20)
    folder.chmod(0o755)
    return Gpu(runtime="cuda", index=0, name="a", arch="sm_90", library=library)


def _compile(unit: KernelUnit, target: str) -> tuple[Built, ...]:
    """Compile as ever, and put in the place of the object one that the driver runs."""
    built = build_unit(unit, target)
    if not built.object:
        return (built,)
    entries = match_kernel_symbols(unit, built.build.symbols)
    code = drivers.unit_object(unit, [entry.symbol for entry in entries])
    digest = hashlib.sha256(code).hexdigest()
    return (
        replace(built, build=replace(built.build, object_digest=digest), object=code),
    )
