"""Short labels for sets of template arguments, safe in file names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

from crawler.model import Instantiation

_MAX_LABEL_CHARACTERS: Final = 48
_DIGEST_CHARACTERS: Final = 8
# one argument, as clang prints an enumerator
_CASTED_NUMBER: Final = re.compile(r"static_cast<(.+)>\((-?\d+)\)")
# what no file name should have, in a text of words
_NOT_LABEL: Final = re.compile(r"\W+")
_WORD_BY_TYPE: Final = {
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
    """Return a label such as `float`, `half` or `float_256`.

    Long ones end in a piece of their digest.
    """
    words = "_".join(_abbreviate(argument) for argument in arguments)
    # a sign would be lost: `-1` and `1` differ
    label = _NOT_LABEL.sub("_", words.replace("-", "minus")).strip("_")
    if len(label) <= _MAX_LABEL_CHARACTERS:
        return label

    digest = hashlib.sha256(label.encode()).hexdigest()
    return f"{label[:_MAX_LABEL_CHARACTERS]}_{digest[:_DIGEST_CHARACTERS]}"


def number_duplicate_labels(
    instantiations: Iterable[Instantiation],
) -> tuple[Instantiation, ...]:
    """Number the labels that different arguments share: `float`, `float_2`."""
    count_by_label: dict[str, int] = {}
    numbered: list[Instantiation] = []

    for instantiation in instantiations:
        label = instantiation.label
        count = count_by_label.get(label, 0) + 1
        count_by_label[label] = count
        unique_label = label if count == 1 else f"{label}_{count}"
        numbered.append(
            Instantiation(
                arguments=instantiation.arguments,
                label=unique_label,
                symbol=instantiation.symbol,
                origin=instantiation.origin,
            )
        )

    return tuple(numbered)


def _abbreviate(argument: str) -> str:
    if argument in _WORD_BY_TYPE:
        return _WORD_BY_TYPE[argument]
    return _CASTED_NUMBER.sub(r"\1_\2", argument)
