"""HIP's header of half precision with the pairs that CUDA and ROCm 6 have.

In HIP before ROCm 6 the members of a `__half2` are bits, declared as integers: `float(pair.x)`
compiles, and converts the bits as a number (https://github.com/ROCm/hip/issues/3290). There a copy
of the installed header is put in front of it, in which they are halves.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler.toolchains import discovery

_HEADER: Final = "hip/amd_detail/amd_hip_fp16.h"
# C++ of one known header: its class of pairs ends with the constructors of it
_PAIR: Final = re.compile(r"\bstruct __half2 \{.*?// CREATORS", re.DOTALL)
_BITS: Final = re.compile(r"\bunsigned short (?=[xy];)")
# headers that stand beside it
_NEIGHBOUR: Final = re.compile(r'(#\s*include )"(?!hip/)([\w.]+)"')


def find_pair_headers() -> Path | None:
    """Return the folder to search before HIP's own, `None` where the installed one needs none.

    Ask before every use: another process may have dropped it since.
    """
    rocm = discovery.find_rocm()
    text = _read_corrected(rocm.include / _HEADER) if rocm else ""
    if not text:
        return None

    def write(folder: Path) -> bool:
        target = folder / _HEADER
        target.parent.mkdir(parents=True)
        target.write_text(text)
        return True

    digest = hashlib.sha256(text.encode()).hexdigest()
    return folders.get_or_build(f"hip-{digest[:16]}", write, required_file=_HEADER)


@cache
def _read_corrected(header: Path) -> str:
    """Return the header with halves in its pairs, empty where it has them or is not there."""
    if not header.is_file():
        return ""

    text = header.read_text("utf-8", "replace")
    pair = _PAIR.search(text)
    if pair is None or not _BITS.search(pair[0]):
        return ""

    corrected = (
        text[: pair.start()] + _BITS.sub("__half ", pair[0]) + text[pair.end() :]
    )
    return _NEIGHBOUR.sub(r"\1<hip/amd_detail/\2>", corrected)
