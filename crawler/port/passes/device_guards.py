"""Ask in HIP's way whether code is compiled for a device, where the architecture does not matter.

`#ifdef __CUDA_ARCH__` only tells device code from host code. `__CUDA_ARCH__ >= 800` asks for more,
and keeps the macro that the compatibility header defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import PortRule, RuleEdit
from crawler.port.tables.device import COMPILER_MACROS

_RENAMED: Final = COMPILER_MACROS["__CUDA_ARCH__"]
_DEVICE_MACRO: Final = "__HIP_DEVICE_COMPILE__"
# masked code, after names are renamed: `defined(X)`, `defined X`, `#ifdef X`, `# ifndef X`
_QUESTION: Final = re.compile(
    rf"(?:\bdefined\s*\(?|^[ \t]*#[ \t]*ifn?def\b)\s*\b({_RENAMED})\b", re.MULTILINE
)


class _DeviceGuards:
    name = "device_guards"
    order = 50
    keeps_lines = True

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        # a whole file that names HIP's macro would be taken for one written for HIP as well
        if is_whole_file or _RENAMED not in source.words:
            return

        for question in _QUESTION.finditer(source.code):
            yield RuleEdit(
                start=question.start(1),
                end=question.end(1),
                replacement=_DEVICE_MACRO,
                rule="compiler",
                before="__CUDA_ARCH__",
                after=_DEVICE_MACRO,
            )


PLUGIN: Final[PortRule] = _DeviceGuards()
