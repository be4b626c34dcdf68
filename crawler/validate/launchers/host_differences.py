"""Where a launcher's kernels compute something else than its project does on a host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.validate.launchers.strained_contents import Strain
from crawler.validate.programs.runs.kernel_launches import OWN_CHECK
from crawler.validate.programs.runs.launch_faults import LaunchFault, is_faultless
from crawler.validate.programs.runs.launch_log import InstanceKey
from crawler.validate.programs.runs.program_runs import ProgramRun

# lines that our own program prints, one for each call that a host could make, too
_DIFFERENCE: Final = re.compile(
    r"^kernelset-host (\d{1,10}) (element .{1,200})$", re.MULTILINE
)
_MIN_CALLS: Final = 2
"""Calls that differ before it is held to be more than a step that is taken a bit sooner."""
_MAX_BLAMED: Final = 3
"""Kernels of a launcher that are blamed together."""


def find_host_differences(
    run: ProgramRun,
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults of kernels whose results differ from what the launcher itself, or the
    function that its project has in its place, computes for the same tensors of a CPU.

    Of a few kernels that are launched one after another nobody says which one is wrong.
    """
    texts = {
        int(matched[1]): matched[2] for matched in _DIFFERENCE.finditer(run.output)
    }
    if len(texts) < _MIN_CALLS:
        return

    test, text = next(iter(texts.items()))
    launches = [launch for launch in run.log.launches if launch.test in texts]
    kernels = {launch.kernel for launch in launches}
    if len(kernels) > _MAX_BLAMED or not all(map(is_faultless, launches)):
        return

    for instance in dict.fromkeys(launch.instance for launch in launches):
        message = f"its project computes otherwise: {text}"
        fault = LaunchFault(code=OWN_CHECK, message=message, test=test)
        yield instance, fault, Strain.REDRAWN
