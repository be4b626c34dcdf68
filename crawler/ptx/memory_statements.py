"""Translate PTX statements that read or write memory: loads, stores, copies and atomics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crawler.ptx.instruction_tables import CPP_TYPES
from crawler.ptx.registers import (
    HELPER_NAMESPACE,
    RegisterScope,
    Untranslatable,
    Words,
    call_helper,
    format_values,
)

SCOPE_FENCES: Final = {
    "cta": "__threadfence_block();",
    "gpu": "__threadfence();",
    "sys": "__threadfence_system();",
}
"""The fence of each scope that memory is ordered in."""

_CACHE_OPERATORS: Final = frozenset(
    {"ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt", "weak", "global", "const"}
)
_HINT_PREFIXES: Final = ("L1::", "L2::", "level::")
_VECTOR_WIDTHS: Final = {"v2": 2, "v4": 4, "v8": 8}
_SHARED_SPACES: Final = frozenset({"shared", "shared::cta"})
_HIP_SCOPES: Final = {
    "cta": "WORKGROUP",
    "gpu": "AGENT",
    "sys": "SYSTEM",
    "cluster": "AGENT",
}
_MEMORY_ORDERS: Final = {
    "relaxed": "RELAXED",
    "acquire": "ACQUIRE",
    "release": "RELEASE",
    "volatile": "RELAXED",
}
_COPY_MODIFIERS: Final = frozenset(
    {
        "async",
        "ca",
        "cg",
        "shared",
        "shared::cta",
        "global",
        "commit_group",
        "wait_group",
        "wait_all",
    }
)
_COPY_WAITS: Final = ("commit_group", "wait_group", "wait_all")
_ATOMIC_OPERATIONS: Final = frozenset(
    {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas"}
)
_ATOMIC_MODIFIERS: Final = frozenset(
    {*_CACHE_OPERATORS, *_MEMORY_ORDERS, "noftz", "gpu", "sys", "cta", "acq_rel"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Access:
    """What a load or store moves."""

    suffix: str
    """Of the helper function, with its template arguments."""
    element_type: str
    width: int
    """Number of elements."""


def translate_load(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    """Return a load, of one element or of a vector."""
    access = _parse_access(modifiers)
    if len(operands) < 2:
        raise Untranslatable("ld")

    # e.g. `ld.global.v2.f32 {%0, %1}, [%2]` reads both elements at once
    targets = scope.split_vector(operands[0])
    address = scope.format_address(operands[1])
    if access.width != len(targets):
        raise Untranslatable("ld")

    value = call_helper(f"load{access.suffix}", address)
    if access.width == 1:
        return scope.format_assignment(targets[0], value)

    assignments = []
    for number, target in enumerate(targets):
        assignment = scope.format_assignment(target, f"ks_read.of[{number}]")
        assignments.append(assignment)
    return f"{{ auto ks_read = {value}; {' '.join(assignments)} }}"


def translate_store(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    """Return a store, of one element or of a vector."""
    access = _parse_access(modifiers)
    if len(operands) < 2:
        raise Untranslatable("st")

    sources = scope.split_vector(operands[1])
    values = format_values(sources, access.element_type, scope)
    if access.width != len(values):
        raise Untranslatable("st")

    # a vector is an aggregate with one array in it
    value = ", ".join(values)
    if access.width > 1:
        value = f"{{{{{value}}}}}"

    address = scope.format_address(operands[0])
    store = call_helper(f"store{access.suffix}", address, value)
    return f"{store};"


def _parse_access(modifiers: Words) -> _Access:
    kind = order = ""
    width = 1
    memory_scope = "gpu"
    is_shared = not _SHARED_SPACES.isdisjoint(modifiers)
    for word in modifiers:
        if word in CPP_TYPES:
            kind = CPP_TYPES[word]
        elif word in _VECTOR_WIDTHS:
            width = _VECTOR_WIDTHS[word]
        elif word in _MEMORY_ORDERS:
            order = word
        elif word in _HIP_SCOPES:
            memory_scope = word
        elif word not in _SHARED_SPACES and not _is_cache_hint(word):
            raise Untranslatable(word)

    if not kind:
        raise Untranslatable("access")
    if order and not is_shared and width == 1:
        return _ordered_access(kind, order, memory_scope)
    # Only a volatile access may as well be plain where the helper knows no order.
    if order not in ("", "volatile"):
        raise Untranslatable("access")
    return _plain_access(kind, width, is_shared=is_shared)


def _is_cache_hint(word: str) -> bool:
    return word in _CACHE_OPERATORS or word.startswith(_HINT_PREFIXES)


def _ordered_access(kind: str, order: str, memory_scope: str) -> _Access:
    hip_order = f"__ATOMIC_{_MEMORY_ORDERS[order]}"
    hip_scope = f"__HIP_MEMORY_SCOPE_{_HIP_SCOPES[memory_scope]}"
    suffix = f"_ordered<{kind}, {hip_order}, {hip_scope}>"
    return _Access(suffix=suffix, element_type=kind, width=1)


def _plain_access(kind: str, width: int, *, is_shared: bool) -> _Access:
    moved_type = kind
    if width > 1:
        moved_type = f"{HELPER_NAMESPACE}Vector<{kind}, {width}>"

    space = "_shared" if is_shared else ""
    suffix = f"{space}<{moved_type}>"
    return _Access(suffix=suffix, element_type=kind, width=width)


def translate_copy(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    """Return a copy that may end later as one that ends at once; then nobody has to wait."""
    hints = {word for word in modifiers if word.startswith("L2:")}
    if modifiers[:1] != ("async",):
        raise Untranslatable("cp")
    if set(modifiers) - _COPY_MODIFIERS - hints:
        raise Untranslatable("cp")

    kind = modifiers[1]
    if kind in _COPY_WAITS:
        return "(void)0;"
    if kind not in ("ca", "cg"):
        raise Untranslatable("cp")

    target, source, *sizes = operands
    if "L2::cache_hint" in modifiers:
        # The last operand of a hinted copy is its cache policy.
        sizes = sizes[:-1]
    if len(sizes) not in (1, 2):
        raise Untranslatable("cp")

    target_address = scope.format_address(target)
    source_address = scope.format_address(source)
    byte_counts = format_values(sizes, "unsigned", scope)
    copy = call_helper("copy_async", target_address, source_address, *byte_counts)
    return f"{copy};"


def translate_address_space(
    modifiers: Words, operands: Words, scope: RegisterScope
) -> str:
    """Return a conversion of an address to or from a state space."""
    target, source = operands
    address = scope.format_value(source, "unsigned long long")

    # Shared memory has addresses of 32 bits in PTX, offsets within the block's memory in HIP.
    if "to" in modifiers and "shared" in modifiers:
        offset = call_helper("to_shared", address)
        return scope.format_assignment(target, offset)
    if "global" in modifiers:
        return scope.format_assignment(target, address)
    if "shared" in modifiers:
        offset = scope.format_value(source, "unsigned")
        generic_address = call_helper("from_shared", offset)
        return scope.format_assignment(target, generic_address)
    raise Untranslatable("cvta")


def translate_atomic(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    """Return `atom`, which writes the old value into its first operand."""
    target, *atomic_operands = operands
    call = _call_atomic(modifiers, atomic_operands, scope)
    assignment = scope.format_assignment(target, call)
    return _with_fences(modifiers, assignment)


def translate_reduction(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    """Return `red`, an atomic operation without a result."""
    call = _call_atomic(modifiers, operands, scope)
    return _with_fences(modifiers, f"{call};")


def _call_atomic(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    """Return the call of an atomic operation; `operands` are the address and the values."""
    types = [word for word in modifiers if word in CPP_TYPES]
    operations = [word for word in modifiers if word in _ATOMIC_OPERATIONS]
    if len(types) != 1 or len(operations) != 1:
        raise Untranslatable("atom")
    flags = set(modifiers) - {*types, *operations}
    if flags - _ATOMIC_MODIFIERS:
        raise Untranslatable("atom")

    # compare-and-swap takes the expected value and the new one
    (operation,) = operations
    address, *sources = operands
    value_count = 2 if operation == "cas" else 1
    if len(sources) != value_count:
        raise Untranslatable("atom")

    cpp_type = CPP_TYPES[types[0]]
    pointer = scope.format_address(address)
    values = format_values(sources, cpp_type, scope)
    return call_helper(f"atomic_{operation}<{cpp_type}>", pointer, *values)


def _with_fences(modifiers: Words, statement: str) -> str:
    """Return an atomic statement between the fences that its order asks for."""
    # The helper functions are relaxed; without a scope, PTX means the whole device.
    memory_scopes = [word for word in modifiers if word in SCOPE_FENCES]
    memory_scope = memory_scopes[0] if memory_scopes else "gpu"
    fence = SCOPE_FENCES[memory_scope]

    releases = "release" in modifiers or "acq_rel" in modifiers
    acquires = "acquire" in modifiers or "acq_rel" in modifiers
    before = f"{fence} " if releases else ""
    behind = f" {fence}" if acquires else ""
    return f"{before}{statement}{behind}"
