"""Enable project switches that default to 0 and then leave device functions to the host.

A build knows when to set one: for some devices, or some types. Where the build is not known,
the text tells which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from crawler.extract.syntax.unit_text import UnitText
from crawler.model import CompileCommand, FlagsOrigin, KernelFacts

# A pattern, since both branches are wanted: a parse shows one of them. e.g.
#     #if USE_DEVICE_CODE
#     __host__ __device__ float scale(float x)
#     #else
#     __host__ float scale(float x)
#     #endif
_HEAD_CHOICE: Final = re.compile(
    r"^[ \t]*#[ \t]*if[ \t]+([A-Za-z_]\w*)[ \t]*\n([^#]{1,600}?)"
    r"^[ \t]*#[ \t]*else\b[^\n]*\n([^#]{1,600}?)^[ \t]*#[ \t]*endif",
    re.MULTILINE,
)
"""A switch with the two heads of a function between which it chooses."""
_DEFAULT_OFF: Final = (
    r"^[ \t]*#[ \t]*ifndef[ \t]+{0}\b[^\n]*\n[ \t]*#[ \t]*define[ \t]+{0}[ \t]+0[ \t]*$"
)
_DEVICE: Final = "__device__"
_HOST: Final = "__host__"


def enable_device_switches(
    command: CompileCommand, kernels: Iterable[KernelFacts], unit_text: UnitText
) -> CompileCommand:
    """Return a made-up command with those switches on that give devices what its kernels name.

    Kernels of other files than the command's own, and commands of a build, count for nothing.
    """
    if command.origin is not FlagsOrigin.SYNTHESISED:
        return command

    switches = set()
    for fragment in _list_device_fragments(command, kernels):
        # closures hold fragments as written, both branches included
        for name, head_if_on, head_if_off in _HEAD_CHOICE.findall(fragment):
            if _adds_device(head_if_on, head_if_off):
                switches.add(name)

    flags = [f"-D{name}=1" for name in sorted(switches) if _is_off(name, unit_text)]
    # a switch may be set already
    new_flags = [flag for flag in flags if flag not in command.arguments]

    return replace(command, arguments=(*command.arguments, *new_flags))


def _list_device_fragments(
    command: CompileCommand, kernels: Iterable[KernelFacts]
) -> list[str]:
    fragments: dict[str, None] = {}
    for kernel in kernels:
        if kernel.span.path != command.file or not kernel.closure:
            continue

        for fragment in kernel.closure.fragments:
            if _DEVICE in fragment:
                fragments[fragment] = None

    return list(fragments)


def _adds_device(head_if_on: str, head_if_off: str) -> bool:
    return _DEVICE in head_if_on and _HOST in head_if_off and _DEVICE not in head_if_off


def _is_off(name: str, unit_text: UnitText) -> bool:
    """Tell whether a file sets a switch to 0 where nothing else sets it."""
    pattern = re.compile(_DEFAULT_OFF.format(name), re.MULTILINE)
    for path in unit_text.files:
        text = unit_text.sources[path].raw
        if name in text and pattern.search(text):
            return True

    return False
