"""Tell which functions of an operator compute on the CPU."""

from __future__ import annotations

import re
from typing import Final

from crawler.extract.operators.call_graph import CallStep

# e.g. `add_cpu`, `kCPU`, `addCpu`, `CPU_add`, but not `GCPUse`
_CPU_NAME: Final = re.compile(
    r"(?:^|[_/.\W])k?cpu(?:$|[_/.\W])|[a-z]C[Pp][Uu](?:$|[A-Z_])|(?:^|_)CPU(?:$|[_A-Z])",
    re.MULTILINE,
)
# a path
_CPU_FOLDER: Final = re.compile(r"(?i)(?:^|[/_.-])cpu(?:[/_.-])")
_REGISTERED: Final = "registered:"


def is_cpu_step(step: CallStep) -> bool:
    """Tell whether a function computes on the CPU.

    It is registered or named so, its folder is, or such a function of its file calls it.
    """
    function = step.function
    has_cpu_name = _CPU_NAME.search(function.name) is not None
    if step.evidence.startswith(_REGISTERED):
        # `CPU` is also written `DispatchKey::CPU`
        key = step.evidence.removeprefix(_REGISTERED).strip().rpartition("::")[2]
        return has_cpu_name or _CPU_NAME.search(key) is not None
    if has_cpu_name or _CPU_FOLDER.search(function.span.path):
        return True

    caller = step.previous_step
    if caller is None or caller.function.span.path != function.span.path:
        return False
    return is_cpu_step(caller)
