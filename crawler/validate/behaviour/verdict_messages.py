"""Messages that explain the codes of CPU verdicts."""

from __future__ import annotations

from typing import Final

_MESSAGES: Final = {
    "self-consistent": "every order gives the same; the oracle is this very kernel, so no meaning is proven",
    "own-launcher": "its own project's launcher launches it, with the same results in every order; no meaning is proven",
    "own-program": "its own project's program launches it, with the same results in every order; no meaning is proven",
    "own-check": "its own project's program refuses what it computes",
    "unit-differs": "the unit does otherwise than the kernel did in its own project's launch: what was cut out is not the same",
    "few-cases": "it runs, but fewer than six cases tell anything: give it more launch sites or sizes",
    "lanes": "warps of 64 lanes give other results: it is written for 32",
    "needs-aligned-sizes": "it reads or writes several numbers at once, and faults unless rows begin where such may",
    "needs-unique-indices": "two threads meet where an index comes twice, and the host does not see to it that none does",
    "needs-nonempty-segments": "a segment without elements makes it fail, and the host does not see to it that none is empty",
    "needs-limited-values": "values that its input may well hold lead it out of its arrays",
    "host-compile-error": "the unit does not compile as host C++: see the message, and what the shim lacks",
    "missing-header": "it includes a header that its project lacks, and needs what that declares",
    "installed-library": "it is made with a library as it is installed, which the CPU execution does not serve",
    "host-compile-timeout": "the unit takes too long to compile for a CPU",
    "no-compiler": "there is no clang++ of version 18 or newer: run `deploy/bootstrap`",
    "no-signature": "its parameters are not those of its definition: extract it again",
    "extent": "its memory grows without end with any content that was tried: its indices need a rule of their own",
    "not-converged": "each run of it needs other memory than the one before: its sizes depend on what it computes",
    "killed": "it was ended for want of memory or by a signal: look at its sizes",
    "unsupported": "it does what the CPU execution does not serve",
    "timeout": "no sizes were found with which it ends in time",
    "trivial-output": "its outputs are empty, constant, or the same whatever its inputs are",
    "race": "two threads write, or one writes and another reads, with nothing between them",
    "overwrite": "several threads write one place, and who comes last decides",
    "array-bounds": "it leaves an array of its own with any sizes that were tried",
    "integer-overflow": "a signed number overflows, which C++ gives no meaning to",
    "order-dependent": "its results depend on the order of its threads by more than rounding",
    "order-dependent-buffer": "one of its outputs depends on the order of its threads; the others are compared",
    "divergent-barrier": "lanes of a warp wait at different barriers",
    "divergent-warp": "lanes that an operation names wait elsewhere",
    "inactive-lane": "a value is taken from a lane that takes no part",
    "excluded-caller": "a lane calls with a mask that leaves it out",
    "deadlock": "threads wait for what never comes",
    "out-of-bounds": "it leaves its memory",
    "uninitialised-read": "it reads shared memory that nobody wrote",
    "divide-by-zero": "it divides a whole number by zero",
    "assertion": "an assertion of its own does not hold for the inputs that were found",
    "trap": "it traps",
    "fault": "it follows a pointer to nowhere",
    "stack-overflow": "a thread needs more memory of its own than there is",
}


def explain_code(code: str) -> str:
    """Return what a code means; the code itself where nothing more is known."""
    return _MESSAGES.get(code, code)
