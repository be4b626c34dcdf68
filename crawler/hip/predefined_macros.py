"""Macros that compilers, standard headers or the bundled headers may predefine."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from crawler import headers

_DEFINED: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
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
    return _RESERVED.fullmatch(name) is not None or name in _ours()


@cache
def _ours() -> frozenset[str]:
    texts = (path.read_text("utf-8") for path in headers.list_header_files())
    return frozenset(name for text in texts for name in _DEFINED.findall(text))
