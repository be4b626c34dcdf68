"""Where a kernel's project has the same computation for a CPU."""

from __future__ import annotations

from crawler.model import Kernel, OperatorRole


def list_cpu_paths(kernel: Kernel) -> list[str]:
    """Return the files with host code that the kernel's operators have for a CPU, each once, in
    the order in which the record names them.
    """
    paths: list[str] = []

    for operator in kernel.operators:
        for part in operator.parts:
            if part.role is OperatorRole.CPU:
                paths.append(part.span.path)

    for code in kernel.host:
        if code.role is OperatorRole.CPU:
            paths.append(code.span.path)

    return list(dict.fromkeys(paths))
