"""Read calls of `cudaMallocPitch(&x, &pitch, width, height)`, in which the runtime chooses how far
apart rows lie.

Source: CUDA Runtime API, "Memory Management"; HIP has the same call under its own prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.lexer import Token
from crawler.validate.evidence.allocations.host_words import iter_host_calls, join_words

_CALLS: Final = frozenset({"cudaMallocPitch", "hipMallocPitch"})
_PITCH_BYTES: Final = 512
"""Each row begins at a multiple of it, on all devices that CUDA 12 serves."""


@dataclass(frozen=True, slots=True)
class PitchedMemory:
    """Rows that one call allocates."""

    target: tuple[Token, ...]
    """The argument that receives the address: `&x`."""
    pitch: str
    """The variable that receives the bytes from one row to the next; empty where the argument is
    more than `&variable`.
    """
    pitch_value: str
    """These bytes, as an expression."""
    size: str
    """The bytes of all rows, as an expression."""
    end: int
    """Position behind the call, among the words."""


def iter_pitched_memory(words: Sequence[Token]) -> Iterator[PitchedMemory]:
    """Yield what is allocated by `words`, which have neither blanks nor comments."""
    for call in iter_host_calls(words, _CALLS):
        if len(call.arguments) != 4:
            continue

        target, pitch, width, height = call.arguments
        row_bytes = f"(({join_words(width)}) + {_PITCH_BYTES - 1})"
        value = f"{row_bytes} / {_PITCH_BYTES} * {_PITCH_BYTES}"
        is_variable = len(pitch) == 2 and pitch[0].text == "&"
        yield PitchedMemory(
            target=target,
            pitch=pitch[1].text if is_variable else "",
            pitch_value=value,
            size=f"{value} * ({join_words(height)})",
            end=call.end,
        )
