"""Assemble PTX into machine code with NVIDIA's ptxas, and judge PTX where there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crawler.model import Status, Verdict
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.ptx.inline_syntax import find_malformed_assembly
from crawler.sandbox.work_folder import open_work_folder
from crawler.toolchains import discovery
from crawler.validate.toolchains.compile_verdicts import fail
from crawler.validate.toolchains.ptxas_messages import parse_ptxas_resources
from crawler.validate.toolchains.sandboxed_compiler import (
    CLOCK_FACTOR,
    read_regular_file,
    run_in_folder,
)

PTX_ONLY: Final = "ptx-only"
"""Code of a verdict that passes without machine code."""
ASSEMBLER_LIMITS: Final = Limits(
    seconds=CLOCK_FACTOR * 300,
    cpu_seconds=300,
    memory_bytes=6 << 30,
    file_bytes=256 << 20,
)
_ASSEMBLER_ERROR: Final = "assembler-error"
# ptxas of an instruction that other devices have: newer ones, or older ones alone
_OTHER_DEVICE: Final = re.compile(
    r"requires \.target sm_\d+|not supported on \.target '?sm_\d+"
)
# what it calls of libdevice is linked by whoever loads it
_UNLINKED: Final = "-c"
_VERBOSE: Final = "-v"
_MAX_STATIC_SHARED_BYTES: Final = 48 << 10
"""Static shared memory that a kernel may declare, on all devices; more has to be dynamic.
Rule: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
"""
# directives at the beginning of a line, as clang writes them; an `inline` function is weak
_SHARED_FUNCTION: Final = re.compile(rb"^\.(?:visible|weak) \.func\b", re.MULTILINE)
_MAX_MESSAGE_LENGTH: Final = 500
_PTX_FILE: Final = "unit.ptx"
_CUBIN_FILE: Final = "unit.cubin"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssemblerRun:
    """A finished run of ptxas, and the machine code that it left, empty for none."""

    process: CompletedProcess
    code: bytes


def judge_ptx(ptx: bytes, target: str, *flags: str) -> Verdict:
    """Return whether PTX is machine code for `target`, as ptxas says with `flags`.

    Where there is no ptxas, its inline assembly is checked by syntax: clang passes it on as text.
    """
    if discovery.find_ptxas() is not None:
        options = (_UNLINKED, _VERBOSE, *flags)
        run = assemble(_make_functions_local(ptx), target, options)
        if run.process.exit_code or not run.code:
            return explain_failure(run)
        return _judge_shared_memory(run.process.text)

    malformed = find_malformed_assembly(ptx.decode("utf-8", "replace"))
    if malformed:
        message = f"inline assembly is no PTX: {malformed[:_MAX_MESSAGE_LENGTH]}"
        return fail(_ASSEMBLER_ERROR, message)

    return Verdict(
        status=Status.PASS,
        code=PTX_ONLY,
        message="nothing here assembles its PTX: `kernelset doctor` says what ptxas is for",
    )


def _judge_shared_memory(log: str) -> Verdict:
    """Return a failure where a kernel declares too much shared memory, else `pass`.

    ptxas itself leaves that to the linker, which is not run here.
    """
    for resources in parse_ptxas_resources(log):
        if resources.shared_bytes > _MAX_STATIC_SHARED_BYTES:
            message = (
                f"{resources.symbol} uses {resources.shared_bytes} bytes of shared memory, "
                f"more than the {_MAX_STATIC_SHARED_BYTES} that a kernel may declare"
            )
            return fail(_ASSEMBLER_ERROR, message)

    return Verdict(status=Status.PASS)


def _make_functions_local(ptx: bytes) -> bytes:
    """Return PTX whose functions nobody else calls, as those of a whole program.

    ptxas gives a function that others may call as many registers as it likes, and then refuses
    to call it from a kernel with launch bounds.
    """
    return _SHARED_FUNCTION.sub(b".func", ptx)


def assemble(ptx: bytes, target: str, flags: Sequence[str]) -> AssemblerRun:
    """Run ptxas on PTX for `target`."""
    command = (
        str(discovery.find_ptxas()),
        *flags,
        f"-arch={target}",
        "-o",
        _CUBIN_FILE,
        _PTX_FILE,
    )
    with open_work_folder("ptxas") as work:
        (work / _PTX_FILE).write_bytes(ptx)
        assembler = run_in_folder(
            command, work, output_file=_CUBIN_FILE, limits=ASSEMBLER_LIMITS
        )
        return AssemblerRun(
            process=assembler, code=read_regular_file(work / _CUBIN_FILE)
        )


def explain_failure(run: AssemblerRun) -> Verdict:
    """Return the verdict on PTX that ptxas did not take."""
    if run.process.timed_out:
        seconds = ASSEMBLER_LIMITS.cpu_seconds
        return fail("compile-timeout", f"no result after {seconds} s of a processor")

    text = run.process.text
    message = text[:200]
    for line in text.splitlines():
        if "error" in line or "fatal" in line:
            message = line
            break

    message = message.strip()[:_MAX_MESSAGE_LENGTH]
    if _OTHER_DEVICE.search(message):
        code = "other-device"
        return Verdict(status=Status.UNSUPPORTED, code=code, message=message)

    return fail(_ASSEMBLER_ERROR, message or "ptxas said nothing")
