"""Kernels as they are tried: compiled here with a trace, and run in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.model import Instantiation, Launch
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject, build_subject
from tests.plain import HERE, plain_kernel, plain_unit

Parameters = Sequence[tuple[str, str]]


def build_traced_subject(
    source: str, parameters: Parameters, launch: Launch | None = None
) -> TrialSubject:
    """Return a kernel `k` that is no template, to be tried at its launch or by its names."""
    text = f"#include <kernelset/cuda.cuh>\n{source}"
    unit = plain_unit(text, Instantiation(arguments=(), label=""))
    launches = (launch,) if launch else ()
    kernel = plain_kernel(unit, parameters, launches=launches, source=source)
    program = build_cpu_program(unit, BuildOptions(trace=True, count_branches=True))
    assert program.executable, program.verdict
    return build_subject(kernel, unit, 0, program, launch)


def build_launch(grid: str, block: str, setup: str = "") -> Launch:
    return Launch(
        span=HERE,
        kernel_name="k",
        grid=grid,
        block=block,
        argument_map=(("n", "n"),),
        setup=setup,
    )
