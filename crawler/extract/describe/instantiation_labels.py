"""Short labels for sets of template arguments, safe in file names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from crawler.model import Instantiation

_LONGEST = 48
_WORDS = {
    "c10::Half": "half",
    "at::Half": "half",
    "__half": "half",
    "half": "half",
    "c10::BFloat16": "bfloat16",
    "at::BFloat16": "bfloat16",
    "__nv_bfloat16": "bfloat16",
    "__hip_bfloat16": "bfloat16",
    "unsigned char": "uint8",
    "signed char": "int8",
    "char": "char",
    "short": "int16",
    "unsigned short": "uint16",
    "unsigned int": "uint32",
    "long": "int64",
    "long long": "int64",
    "unsigned long": "uint64",
    "unsigned long long": "uint64",
    "c10::complex<float>": "complex64",
    "c10::complex<double>": "complex128",
}


def make_argument_label(arguments: tuple[str, ...]) -> str:
    """Return a label such as `float`, `half` or `float_256`; long ones end in a piece of their
    digest.
    """
    parts = [
        _WORDS.get(
            argument, re.sub(r"static_cast<(.+)>\((-?\d+)\)", r"\1_\2", argument)
        )
        for argument in arguments
    ]
    joined = re.sub(r"\W+", "_", "_".join(parts).replace("-", "minus")).strip("_")
    if len(joined) <= _LONGEST:
        return joined
    return f"{joined[:_LONGEST]}_{hashlib.sha256(joined.encode()).hexdigest()[:8]}"


def number_duplicate_labels(
    instantiations: Iterable[Instantiation],
) -> tuple[Instantiation, ...]:
    """Number the labels that different arguments share."""
    taken: dict[str, int] = {}
    named = []
    for one in instantiations:
        count = taken[one.label] = taken.get(one.label, 0) + 1
        name = one.label if count == 1 else f"{one.label}_{count}"
        named.append(
            Instantiation(
                arguments=one.arguments,
                label=name,
                symbol=one.symbol,
                origin=one.origin,
            )
        )
    return tuple(named)
