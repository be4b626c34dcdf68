"""A kernel that was run on the CPU just now, with a port that fails, and repairs of it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from crawler.model import (
    Behaviour,
    KernelRecord,
    KernelUnit,
    Run,
    Status,
    Toolchain,
    Verdict,
)
from crawler.port.port import port_unit
from crawler.validate.build import build_unit
from storage.open import Storage
from tests.judged_kernel import BROKEN, RIGHT, SLOW, WRONG, put_judged_kernel

TARGET = "gfx90a"
__all__ = ("BROKEN", "RIGHT", "SLOW", "TARGET", "WRONG", "fence", "put_broken_port")


def fence(source: str) -> str:
    """Return a source as a model answers with it."""
    return f"Here it is:\n```hip\n{source}```\nGood luck!"


def put_broken_port(
    storage: Storage, home: Path, source: str = BROKEN
) -> tuple[KernelRecord, KernelUnit]:
    """Store the kernel with `source` as what its port says; returns its record and the port.

    Where that compiles, a device that nobody has here says that it is wrong, or slow.
    """
    put_judged_kernel(storage, home)
    (record,) = storage.index.records("name = blend")
    assert record.kernel.unit
    port = port_unit(record.kernel.unit)
    text = f"#include <kernelset/hip.h>\n{source}"
    port = replace(port, source=text, digest=hashlib.sha256(text.encode()).hexdigest())
    storage.index.put_ports([port])
    build = build_unit(port, TARGET).build
    storage.index.put_builds([build])
    if build.pass_call.status is Status.PASS:
        wrong = Verdict(status=Status.FAIL, code="wrong-output", message="out[3]")
        slower = Verdict(status=Status.FAIL, code="slower", message="3 ms; project: 1")
        is_slow = source == SLOW
        run = Run(
            unit=port.digest,
            device="rocm:gfx90a",
            toolchain=Toolchain(compiler="hipcc", digest="0"),
            pass_exe=Verdict(status=Status.PASS) if is_slow else wrong,
            pass_perf=slower if is_slow else None,
            behaviour=Behaviour.DETERMINISTIC,
        )
        storage.index.put_runs([run])
    (record,) = storage.index.records("name = blend")
    return record, port
