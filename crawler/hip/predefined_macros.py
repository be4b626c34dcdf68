"""Macros that compilers, standard headers or the bundled headers may predefine."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from crawler import headers
from crawler.cpp.preprocessor.macros import DEFINITION

HIP_COMPILER_MACROS: Final = re.compile(
    r"__HIP_PLATFORM_(?:AMD|HCC)__|__HIPCC__|__HIP__|__HIP_DEVICE_COMPILE__|__HCC__|__AMDGCN__|__AMDGPU__"
    r"|__gfx[0-9a-f]+__|__GFX[0-9]+__"
)
"""What HIP's compilers define of themselves.

A unit was cut out of what CUDA's compiler sees, so that what stands under these may lack what it
needs: in the port of a unit they say no, as they did in it.
"""

NEVER_DEFINED_MACRO: Final = "KERNELSET_WRITTEN_FOR_HIP"
"""What is never defined, and stands for those in the port of a unit."""

_RESERVED: Final = re.compile(
    r"_\w*|[a-z0-9_]*|(?:HIP|ROCM|NV|CUDART_)\w*"
    r"|\w*_(?:MAX|MIN|WIDTH|BIT|DIG|EPSILON)|M_\w+|FP_\w+|FE_\w+|(?:FLT|DBL|LDBL|SIG|SEEK|ATOMIC|PRI|SCN)_?\w*"
    r"|E[A-Z0-9]+|NULL|NAN|INFINITY|HUGE_VAL\w*|BUFSIZ|CHAR_BIT|CLOCKS_PER_SEC|NDEBUG|WIN32"
)
"""Names that an implementation may use as it likes, and families of them in the headers of C,
C++ and HIP.
"""


@cache
def may_be_predefined(name: str) -> bool:
    """Tell whether a name may be a macro in a unit that nowhere defines it."""
    is_reserved = _RESERVED.fullmatch(name) is not None
    return is_reserved or name in _bundled_macros()


@cache
def _bundled_macros() -> frozenset[str]:
    """Return the macros that the bundled headers define, in whatever branch."""
    names: set[str] = set()
    for path in headers.list_header_files():
        text = path.read_text("utf-8")
        names.update(macro[1] for macro in DEFINITION.finditer(text))

    return frozenset(names)
