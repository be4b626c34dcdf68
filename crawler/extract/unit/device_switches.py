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

_CHOSEN: Final = re.compile(
    r"^[ \t]*#[ \t]*if[ \t]+([A-Za-z_]\w*)[ \t]*\n([^#]{1,600}?)"
    r"^[ \t]*#[ \t]*else\b[^\n]*\n([^#]{1,600}?)^[ \t]*#[ \t]*endif",
    re.MULTILINE,
)
"""A switch with the two heads of a function between which it chooses."""
_OFF: Final = (
    r"^[ \t]*#[ \t]*ifndef[ \t]+{0}\b[^\n]*\n[ \t]*#[ \t]*define[ \t]+{0}[ \t]+0[ \t]*$"
)
_DEVICE: Final = "__device__"


def enable_device_switches(
    command: CompileCommand, kernels: Iterable[KernelFacts], unit_text: UnitText
) -> CompileCommand:
    """Return a made-up command with those switches on that give devices what the kernels of its
    own file name.
    """
    if command.origin is not FlagsOrigin.SYNTHESISED:
        return command
    own = (kernel.closure for kernel in kernels if kernel.span.path == command.file)
    fragments = dict.fromkeys(
        text
        for closure in own
        if closure
        for text in closure.fragments
        if _DEVICE in text
    )
    names = sorted(
        {
            name
            for text in fragments
            for name, given, left in _CHOSEN.findall(text)
            if _gives(given, left)
        }
    )
    found = (f"-D{name}=1" for name in names if _is_off(name, unit_text))
    return replace(
        command, arguments=tuple(dict.fromkeys((*command.arguments, *found)))
    )


def _gives(given: str, left: str) -> bool:
    return _DEVICE in given and "__host__" in left and _DEVICE not in left


def _is_off(name: str, written: UnitText) -> bool:
    """Tell whether a file sets a switch to 0 where nothing else does."""
    pattern = re.compile(_OFF.format(name), re.MULTILINE)
    texts = (written.sources[path].raw for path in written.files)
    return any(name in text and pattern.search(text) for text in texts)
