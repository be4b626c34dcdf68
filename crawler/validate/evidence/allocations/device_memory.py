"""Memory that the CUDA or HIP runtime allocates: `cudaMalloc(&x, n * sizeof(float))`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.lexer import Token
from crawler.validate.evidence.allocations.allocation import UNINITIALISED, Allocation
from crawler.validate.evidence.allocations.host_words import (
    HostCall,
    find_mentions,
    is_reassigned,
    iter_host_calls,
    join_words,
)
from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.evaluation_scope import (
    EvaluationScope,
    refuse_free_variable,
)
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.pitched_memory import iter_pitched_memory

# CUDA Runtime API, "Memory Management"; HIP has the same under its own prefix
_ALLOCATIONS: Final = frozenset(
    prefix + name
    for prefix in ("cuda", "hip")
    for name in ("Malloc", "MallocManaged", "MallocAsync", "MallocHost", "HostMalloc")
)
_FILLS: Final = frozenset(
    {"cudaMemset", "hipMemset", "cudaMemsetAsync", "hipMemsetAsync"}
)


def find_device_allocation(words: Sequence[Token], name: str) -> Allocation | None:
    """Return the allocation of a pointer in the words before a launch.

    Of an array of pointers, such as `fields[0]`, any element's. `None` where there is none, or
    another one of another size.
    """
    name, bracket, _ = name.partition("[")
    sizes = dict(_iter_sizes(words, name))
    if len(sizes) != 1:
        return None

    ((text, end),) = sizes.items()
    size = parse_expression(text)
    if size is None or is_reassigned(words, name, end):
        return None

    # of an array nothing says which element a statement is about
    fill_byte = None if bracket else _find_fill_byte(words, name, end)

    return Allocation(size=size, fill_byte=fill_byte)


def _iter_sizes(words: Sequence[Token], name: str) -> Iterator[tuple[str, int]]:
    """Yield the bytes of each allocation of a pointer, and the position behind its call."""
    for call in iter_host_calls(words, _ALLOCATIONS):
        if len(call.arguments) >= 2 and _read_target(call.arguments[0]) == name:
            yield join_words(call.arguments[1]), call.end

    for memory in iter_pitched_memory(words):
        if _read_target(memory.target) == name:
            yield memory.size, memory.end


def _read_target(argument: Sequence[Token]) -> str:
    """Return the variable of `&x`, `(void **)&x` or `&x[i]`; empty for anything else."""
    texts = [word.text for word in argument]
    if "&" not in texts:
        return ""

    target = texts[texts.index("&") + 1 :]
    # brackets of `reinterpret_cast<void **>(&x)` and `(void **)(&x)`
    while target and target[-1] == ")":
        target.pop()

    is_element = target[1:2] == ["["] and target[-1] == "]"
    return target[0] if len(target) == 1 or is_element else ""


def _find_fill_byte(words: Sequence[Token], name: str, begin: int) -> int | None:
    """Return what is known of each byte, from what is done with a pointer from `begin` on."""
    fill_byte: int | None = UNINITIALISED
    fills = {
        call.position: call
        for call in iter_host_calls(words, _FILLS)
        if len(call.arguments) >= 3 and join_words(call.arguments[0]) == name
    }

    for position in find_mentions(words, name, begin):
        fill = fills.get(position - 2)
        # copied to, passed on, or read: what it holds is not told here
        fill_byte = _read_fill_byte(fill) if fill else None
        if fill_byte is None:
            return None

    return fill_byte


def _read_fill_byte(fill: HostCall) -> int | None:
    value = to_number(
        evaluate(
            parse_expression(join_words(fill.arguments[1])),
            EvaluationScope(refuse_free_variable),
        )
    )
    return None if value is None else int(value) & 0xFF
