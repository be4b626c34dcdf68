"""Verdicts, toolchains and builds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from crawler.model.source_elements import Diagnostic


class Status(StrEnum):
    """The status of a verdict; `consistent` is agreement without an independent oracle."""

    PASS = "pass"  # noqa: S105
    CONSISTENT = "consistent"
    CONDITIONAL = "conditional"
    """Consistent for inputs that the verdict's code names; nothing says that no others come."""
    FAIL = "fail"
    SKIPPED = "skipped"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not-run"
    """Of an instantiation that nobody ran on a device where another one of its kernel was run."""

    @property
    def run_meaning(self) -> str:
        """What it says of a run, in words for who was never told; of a build it says less."""
        return _RUN_MEANINGS[self]


_RUN_MEANINGS: Final = {
    Status.PASS: "something independent of the kernel gives the same",
    Status.CONSISTENT: "agrees with itself; meaning not proven",
    Status.CONDITIONAL: "agrees with itself for some inputs; meaning not proven",
    Status.FAIL: "wrong, racy or undefined, or it does not end",
    Status.SKIPPED: "nobody could run it here",
    Status.UNSUPPORTED: "no inputs were found, or it cannot be run",
    Status.NOT_RUN: "nothing is known: only others of its kernel were run",
}


class Fidelity(StrEnum):
    """Whether a unit gives the machine code of the translation unit that it was cut from."""

    IDENTICAL = "identical"
    """The same instructions on the same names."""
    EQUIVALENT = "equivalent"
    """The same instructions; names of internal functions or variables, or strings, differ."""
    DIFFERENT = "different"
    NOT_COMPARABLE = "not-comparable"
    """There is no code of both: the whole translation unit does not compile for the device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of one check of one unit."""

    status: Status
    """`pass`, `consistent`, `fail`, `skipped` or `unsupported`."""
    code: str = ""
    """Stable slug for every status but `pass`: `compile-error`, `no-compiler`, `timeout`, …"""
    message: str = ""
    """The first line that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """The compiler that made a build, exactly."""

    compiler: str
    """`clang 19.1.7`, `nvcc 13.0.88`, `hipcc 6.2`."""
    device_library: str = ""
    """`ocml ecef87d8b378` (a digest), `libdevice from CUDA 12.9`; empty where none was linked."""
    headers: str = ""
    """`HIP 5.2.21153, kernelset 3b6907d9b922`: the last is a digest of our own."""
    digest: str = ""
    """sha256 over all that a verdict of the compiler depends on besides the source, in
    hexadecimal.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What an instantiation uses on a target, as its compiler reports it; -1 where unknown."""

    symbol: str
    """Mangled name of the instantiation in the object."""
    registers: int = -1
    """VGPRs on AMD, registers a thread on NVIDIA."""
    scalar_registers: int = -1
    """SGPRs of a wave on AMD."""
    accumulation_registers: int = -1
    """AGPRs of a lane on AMD."""
    spills: int = -1
    """Registers on AMD, bytes stored on NVIDIA."""
    scratch_bytes: int = -1
    """Of private memory a lane on AMD; of stack a thread on NVIDIA."""
    shared_bytes: int = -1
    """Static shared memory (LDS) a block."""
    occupancy: int = -1
    """Waves a SIMD on AMD; on NVIDIA warps a multiprocessor, by registers alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One object for a unit on one target, holding every instantiation."""

    unit: str
    """Digest of the unit that was compiled."""
    target: str
    """`gfx90a`, `sm_80`, …"""
    toolchain: Toolchain
    pass_call: Verdict
    form: str = ""
    """`code` or `ptx`; empty when there is no object."""
    loaded: bool | None = None
    """Whether a device or a driver loaded it; `None` when nobody tried."""
    object_digest: str = ""
    symbols: tuple[str, ...] = ()
    resources: tuple[Resources, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    fidelity: Fidelity | None = None
    """How its code agrees with that of the whole translation unit; `None` where nobody looked."""
    difference: str = ""
    """What differs, or why nothing can be compared."""
    seconds: float = 0.0
