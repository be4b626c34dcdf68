"""Translate PTX statements: moves, predicates, barriers and lane exchange."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from crawler.ptx.instruction_tables import CPP_TYPES
from crawler.ptx.memory_statements import (
    SCOPE_FENCES,
    translate_address_space,
    translate_atomic,
    translate_copy,
    translate_load,
    translate_reduction,
    translate_store,
)
from crawler.ptx.registers import (
    RegisterScope,
    Untranslatable,
    Words,
    call_helper,
    format_values,
)

StatementRule = Callable[[Words, Words, RegisterScope], str]
"""Returns the C++ of a statement from its modifiers and operands; raises `Untranslatable`."""

_COMPARISONS: Final = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    # of unsigned numbers, as their type says anyway
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
_FLOAT_TYPES: Final = frozenset({"f16", "bf16", "f32", "f64"})
_BIT_WIDTHS: Final = {"b16": 16, "b32": 32, "b64": 64}
_SHUFFLE_MODES: Final = {"up": 0, "down": 1, "bfly": 2, "idx": 3}
_VOTE_MODES: Final = ("ballot", "any", "all")
_OLD_SCOPE_NAMES: Final = {"gl": "gpu"}
_FENCE_MODIFIERS: Final = frozenset({"sc", "acq_rel", "gl", *SCOPE_FENCES})
_BARRIER_MODIFIERS: Final = frozenset({"sync", "aligned", "cta"})


def _move(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    # e.g. `mov.b32 %0, {%1, %2}` packs two halves, `mov.b32 {%0, %1}, %2` takes them apart
    types = [word for word in modifiers if word in CPP_TYPES]
    if len(types) != 1 or len(operands) != 2:
        raise Untranslatable("mov")

    (kind,) = types
    target, source = operands
    if "{" not in target and "{" not in source:
        value = scope.format_value(source, CPP_TYPES[kind])
        return scope.format_assignment(target, value)

    unpacks = target.startswith("{")
    packs = source.startswith("{")
    if unpacks == packs:
        raise Untranslatable("mov")
    if unpacks:
        return _unpack(kind, target, source, scope)
    return _pack(kind, target, source, scope)


def _unpack(kind: str, target: str, source: str, scope: RegisterScope) -> str:
    """Return the parts of one register, written into several."""
    targets = scope.split_vector(target)
    part_type = _type_of_part(kind, len(targets))
    value = scope.format_value(source, CPP_TYPES[kind])

    assignments = []
    for number, part_target in enumerate(targets):
        part = call_helper(f"part<{part_type}, {number}>", value)
        assignment = scope.format_assignment(part_target, part)
        assignments.append(assignment)
    return " ".join(assignments)


def _pack(kind: str, target: str, source: str, scope: RegisterScope) -> str:
    """Return several registers side by side in one."""
    sources = scope.split_vector(source)
    part_type = _type_of_part(kind, len(sources))
    values = format_values(sources, part_type, scope)

    function = f"packed<{CPP_TYPES[kind]}, {part_type}>"
    packed = call_helper(function, *values)
    return scope.format_assignment(target, packed)


def _type_of_part(kind: str, part_count: int) -> str:
    if part_count not in (2, 4) or kind not in _BIT_WIDTHS:
        raise Untranslatable("mov")

    bits = _BIT_WIDTHS[kind] // part_count
    part_type = f"b{bits}"
    if part_type not in CPP_TYPES:
        raise Untranslatable("mov")
    return CPP_TYPES[part_type]


def _set_predicate(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    # e.g. `setp.lt.ftz.f32 p, a, b`
    comparison, *flags, kind = modifiers
    if comparison not in _COMPARISONS or kind not in CPP_TYPES:
        raise Untranslatable("setp")
    if set(flags) - {"ftz"}:
        raise Untranslatable("setp")
    if len(operands) != 3:
        raise Untranslatable("setp")

    targets, *sources = operands
    first, second = format_values(sources, CPP_TYPES[kind], scope)
    condition = f"({first} {_COMPARISONS[comparison]} {second})"
    if comparison == "ne" and kind in _FLOAT_TYPES:
        # Where either is not a number no comparison holds in PTX; in C++ `!=` does.
        condition = f"({first} < {second} || {first} > {second})"

    # e.g. `setp.eq.s32 p|q, a, b` writes the contrary into `q`
    target, *negated_targets = targets.split("|")
    assignments = [scope.format_assignment(target.strip(), condition)]
    for negated_target in negated_targets:
        name = negated_target.strip()
        assignment = scope.format_assignment(name, f"!{condition}")
        assignments.append(assignment)
    return " ".join(assignments)


def _select(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    kind = modifiers[-1]
    if len(operands) != 4 or kind not in CPP_TYPES:
        raise Untranslatable("selp")

    target, *sources, predicate = operands
    first, second = format_values(sources, CPP_TYPES[kind], scope)
    condition = scope.format_variable(predicate)
    selected = f"({condition} ? {first} : {second})"
    return scope.format_assignment(target, selected)


def _fence(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    if set(modifiers) - _FENCE_MODIFIERS:
        raise Untranslatable("fence")

    memory_scopes = []
    for word in modifiers:
        name = _OLD_SCOPE_NAMES.get(word, word)
        if name in SCOPE_FENCES:
            memory_scopes.append(name)

    if len(memory_scopes) != 1:
        raise Untranslatable("fence")
    return SCOPE_FENCES[memory_scopes[0]]


def _barrier(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    if modifiers[:2] == ("warp", "sync"):
        return "__syncwarp();"
    if set(modifiers) - _BARRIER_MODIFIERS:
        raise Untranslatable("bar")
    # Other barriers than the first hold up only some warps of a block.
    if tuple(operands) != ("0",):
        raise Untranslatable("bar")

    return "__syncthreads();"


def _shuffle(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    # `shfl.sync.bfly.b32`: an instruction without a mode is none that an assembler takes
    mode_name = modifiers[-2] if len(modifiers) > 1 else ""
    if mode_name not in _SHUFFLE_MODES or modifiers[-1] != "b32":
        raise Untranslatable("shfl")
    if len(operands) < 4:
        raise Untranslatable("shfl")

    sources = operands[1:4]
    value, lane, clamp = format_values(sources, "unsigned", scope)
    function = f"shuffle<{_SHUFFLE_MODES[mode_name]}>"
    shuffled = call_helper(function, value, lane, clamp, "&ks_inside")

    # e.g. `d|p`: the predicate says whether the other lane is in range
    target, _, predicate = operands[0].partition("|")
    assignment = scope.format_assignment(target.strip(), shuffled)
    predicate_assignment = ""
    if predicate:
        name = predicate.strip()
        predicate_assignment = scope.format_assignment(name, "ks_inside")
    return f"{{ bool ks_inside; {assignment} {predicate_assignment} }}"


def _vote(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    modes = [word for word in modifiers if word in _VOTE_MODES]
    if len(modes) != 1 or len(operands) not in (2, 3):
        raise Untranslatable("vote")

    target, predicate, *masks = operands
    if predicate.startswith("!"):
        raise Untranslatable("vote")

    # `vote` without `sync`, which older PTX has, asks all lanes: it has no mask
    mask = "~0u"
    if masks:
        mask = scope.format_value(masks[0], "unsigned")
    condition = scope.format_variable(predicate)
    vote = f"__{modes[0]}_sync({mask}, {condition})"
    return scope.format_assignment(target, vote)


def _do_nothing(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    # Hints to caches and schedulers change no result.
    return "(void)0;"


def _create_policy(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    # A cache policy is a hint: no translated access looks at it.
    return scope.format_assignment(operands[0], "0ull")


def _sleep(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    nanoseconds = scope.format_value(operands[0], "unsigned")
    return f"__nanosleep({nanoseconds});"


def _trap(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return "__builtin_trap();"


def _exit(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return "__builtin_amdgcn_endpgm();"


STATEMENT_RULES: Final[dict[str, StatementRule]] = {
    "mov": _move,
    "setp": _set_predicate,
    "selp": _select,
    "ld": translate_load,
    "ldu": translate_load,
    "st": translate_store,
    "cvta": translate_address_space,
    "cp": translate_copy,
    "atom": translate_atomic,
    "red": translate_reduction,
    "membar": _fence,
    "fence": _fence,
    "bar": _barrier,
    "barrier": _barrier,
    "shfl": _shuffle,
    "vote": _vote,
    "prefetch": _do_nothing,
    "prefetchu": _do_nothing,
    "applypriority": _do_nothing,
    "discard": _do_nothing,
    "griddepcontrol": _do_nothing,
    "setmaxnreg": _do_nothing,
    "createpolicy": _create_policy,
    "nanosleep": _sleep,
    "trap": _trap,
    "brkpt": _trap,
    "exit": _exit,
}
"""Instructions that are more, or less, than one result of their operands."""
