"""Translate PTX statements: memory access, predicates, barriers and lane exchange."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from crawler.ptx.expressions import (
    HELPER_NAMESPACE,
    RegisterScope,
    Untranslatable,
    Words,
)
from crawler.ptx.instruction_tables import CPP_TYPES

_CACHE: Final = frozenset(
    {"ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt", "weak", "global", "const"}
)
_HINTS: Final = ("L1::", "L2::", "level::")
_SCOPES: Final = {
    "cta": "WORKGROUP",
    "gpu": "AGENT",
    "sys": "SYSTEM",
    "cluster": "AGENT",
}
_ORDERS: Final = {
    "relaxed": "RELAXED",
    "acquire": "ACQUIRE",
    "release": "RELEASE",
    "volatile": "RELAXED",
}
_COMPARED: Final = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
} | {
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
_COPY: Final = frozenset(
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
_ATOMIC: Final = frozenset(
    {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas"}
)
_FENCES: Final = {
    "cta": "__threadfence_block();",
    "gpu": "__threadfence();",
    "sys": "__threadfence_system();",
}


def _move(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    (kind,) = [word for word in modifiers if word in CPP_TYPES] or [""]
    if len(operands) != 2 or not kind:
        raise Untranslatable("mov")
    target, source = operands
    parts = scope.split_vector(target if target.startswith("{") else source)
    if not (target + source).count("{"):
        return scope.format_assignment(
            target, scope.format_value(source, CPP_TYPES[kind])
        )
    if target.startswith("{") == source.startswith("{") or len(parts) not in (2, 4):
        raise Untranslatable("mov")
    bits = {"b16": 16, "b32": 32, "b64": 64}.get(kind, 0) // len(parts)
    part = CPP_TYPES.get(f"b{bits}", "")
    if not part:
        raise Untranslatable("mov")
    if source.startswith("{"):
        listed = ", ".join(scope.format_value(each, part) for each in parts)
        return scope.format_assignment(
            target, f"{HELPER_NAMESPACE}packed<{CPP_TYPES[kind]}, {part}>({listed})"
        )
    whole = scope.format_value(source, CPP_TYPES[kind])
    return " ".join(
        scope.format_assignment(each, f"{HELPER_NAMESPACE}part<{part}, {at}>({whole})")
        for at, each in enumerate(parts)
    )


def _compared(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    kind = modifiers[-1]
    symbol = _COMPARED.get(modifiers[0])
    if (
        symbol is None
        or kind not in CPP_TYPES
        or set(modifiers[1:-1]) - {"ftz"}
        or len(operands) != 3
    ):
        raise Untranslatable("setp")
    values = [scope.format_value(source, CPP_TYPES[kind]) for source in operands[1:]]
    targets = operands[0].split("|")
    lines = [
        scope.format_assignment(
            targets[0].strip(), f"({values[0]} {symbol} {values[1]})"
        )
    ]
    lines += [
        scope.format_assignment(other.strip(), f"!({values[0]} {symbol} {values[1]})")
        for other in targets[1:]
    ]
    return " ".join(lines)


def _selected(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    if len(operands) != 4 or modifiers[-1] not in CPP_TYPES:
        raise Untranslatable("selp")
    first, second = (
        scope.format_value(source, CPP_TYPES[modifiers[-1]]) for source in operands[1:3]
    )
    return scope.format_assignment(
        operands[0], f"({scope.format_variable(operands[3])} ? {first} : {second})"
    )


def _access(modifiers: Words) -> tuple[str, str, int]:
    """Return the element type of a load or store, its function's suffix and arguments, and the
    number of elements.
    """
    kind, width, order, scope, shared = "", 1, "", "AGENT", False
    for word in modifiers:
        if word in CPP_TYPES:
            kind = CPP_TYPES[word]
        elif word in ("v2", "v4", "v8"):
            width = int(word[1])
        elif word in _ORDERS:
            order = word
        elif word in _SCOPES:
            scope = _SCOPES[word]
        elif word in ("shared", "shared::cta"):
            shared = True
        elif word not in _CACHE and not word.startswith(_HINTS):
            raise Untranslatable(word)
    if not kind or (order and order != "volatile" and (shared or width > 1)):
        raise Untranslatable("access")
    space = "_shared" if shared else ""
    if order and width == 1 and not shared:
        return (
            f"_ordered<{kind}, __ATOMIC_{_ORDERS[order]}, __HIP_MEMORY_SCOPE_{scope}>",
            kind,
            1,
        )
    return (
        f"{space}<{f'{HELPER_NAMESPACE}Vector<{kind}, {width}>' if width > 1 else kind}>",
        kind,
        width,
    )


def _load(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    function, _, width = _access(modifiers)
    if len(operands) < 2:
        raise Untranslatable("ld")
    targets = scope.split_vector(operands[0])
    value = f"{HELPER_NAMESPACE}load{function}({scope.format_address(operands[1])})"
    if width == 1 and len(targets) == 1:
        return scope.format_assignment(targets[0], value)
    if width != len(targets):
        raise Untranslatable("ld")
    written = " ".join(
        scope.format_assignment(target, f"ks_read.of[{at}]")
        for at, target in enumerate(targets)
    )
    return f"{{ auto ks_read = {value}; {written} }}"


def _store(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    function, kind, width = _access(modifiers)
    if len(operands) < 2:
        raise Untranslatable("st")
    sources = [
        scope.format_value(source, kind) for source in scope.split_vector(operands[1])
    ]
    if width != len(sources):
        raise Untranslatable("st")
    value = sources[0] if width == 1 else f"{{{{{', '.join(sources)}}}}}"
    return f"{HELPER_NAMESPACE}store{function}({scope.format_address(operands[0])}, {value});"


def _copied(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    """A copy that may end later ends at once; then nobody has to wait."""
    if modifiers[:1] != ("async",) or not set(modifiers) <= _COPY | {
        word for word in modifiers if word[:3] == "L2:"
    }:
        raise Untranslatable("cp")
    if modifiers[1] in ("commit_group", "wait_group", "wait_all"):
        return "(void)0;"
    sizes = operands[2 : len(operands) - ("L2::cache_hint" in modifiers)]
    if modifiers[1] not in ("ca", "cg") or not 1 <= len(sizes) <= 2:
        raise Untranslatable("cp")
    given = ", ".join(scope.format_value(size, "unsigned") for size in sizes)
    return f"{HELPER_NAMESPACE}copy_async({scope.format_address(operands[0])}, {scope.format_address(operands[1])}, {given});"


def _address_space(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    target, source = operands
    value = scope.format_value(source, "unsigned long long")
    if "to" in modifiers and "shared" in modifiers:
        return scope.format_assignment(target, f"{HELPER_NAMESPACE}to_shared({value})")
    if "global" in modifiers:
        return scope.format_assignment(target, value)
    if "shared" in modifiers:
        return scope.format_assignment(
            target,
            f"{HELPER_NAMESPACE}from_shared({scope.format_value(source, 'unsigned')})",
        )
    raise Untranslatable("cvta")


def _atomic(
    modifiers: Words, operands: Words, scope: RegisterScope, *, result: bool
) -> str:
    kinds = [word for word in modifiers if word in CPP_TYPES]
    operation = [word for word in modifiers if word in _ATOMIC]
    rest = (
        set(modifiers)
        - set(kinds)
        - set(operation)
        - _CACHE
        - {"noftz", "gpu", "sys", "cta"}
        - set(_ORDERS)
    )
    if (
        len(kinds) != 1
        or len(operation) != 1
        or rest - {"acq_rel"}
        or len(operands) < 2 + result
    ):
        raise Untranslatable("atom")
    address = scope.format_address(operands[result])
    values = [
        scope.format_value(each, CPP_TYPES[kinds[0]]) for each in operands[result + 1 :]
    ]
    if len(values) != 1 + (operation[0] == "cas"):
        raise Untranslatable("atom")
    call = f"{HELPER_NAMESPACE}atomic_{operation[0]}<{CPP_TYPES[kinds[0]]}>({address}, {', '.join(values)})"
    fence = _FENCES[next((word for word in modifiers if word in _FENCES), "gpu")]
    before = f"{fence} " if {"release", "acq_rel"} & set(modifiers) else ""
    behind = f" {fence}" if {"acquire", "acq_rel"} & set(modifiers) else ""
    return f"{before}{scope.format_assignment(operands[0], call) if result else f'{call};'}{behind}"


def _atom(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return _atomic(modifiers, operands, scope, result=True)


def _red(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return _atomic(modifiers, operands, scope, result=False)


def _fence(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    words = {"gl": "gpu"}
    found = [
        words.get(word, word) for word in modifiers if words.get(word, word) in _FENCES
    ]
    if len(found) != 1 or set(modifiers) - {"sc", "acq_rel", "gl", *_FENCES}:
        raise Untranslatable("fence")
    return _FENCES[found[0]]


def _barrier(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    if modifiers[:2] == ("warp", "sync"):
        return "__syncwarp();"
    if set(modifiers) - {"sync", "aligned", "cta"} or tuple(operands) != ("0",):
        raise Untranslatable("bar")
    return "__syncthreads();"


def _shuffled(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    mode = {"up": 0, "down": 1, "bfly": 2, "idx": 3}.get(
        modifiers[-2] if len(modifiers) > 1 else ""
    )
    if mode is None or modifiers[-1] != "b32" or len(operands) < 4:
        raise Untranslatable("shfl")
    value, lane, clamp = (
        scope.format_value(each, "unsigned") for each in operands[1:4]
    )
    target, _, inside = operands[0].partition("|")
    flag = "bool ks_inside;"
    line = scope.format_assignment(
        target.strip(),
        f"{HELPER_NAMESPACE}shuffle<{mode}>({value}, {lane}, {clamp}, &ks_inside)",
    )
    return f"{{ {flag} {line} {scope.format_assignment(inside.strip(), 'ks_inside') if inside else ''} }}"


def _voted(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    modes = [word for word in modifiers if word in ("ballot", "any", "all")]
    if len(modes) != 1 or len(operands) not in (2, 3) or operands[1].startswith("!"):
        raise Untranslatable("vote")
    mask = scope.format_value(operands[2], "unsigned") if len(operands) == 3 else "~0u"
    return scope.format_assignment(
        operands[0], f"__{modes[0]}_sync({mask}, {scope.format_variable(operands[1])})"
    )


def _nothing(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return "(void)0;"


def _policy(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return scope.format_assignment(operands[0], "0ull")


def _sleep(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return f"__nanosleep({scope.format_value(operands[0], 'unsigned')});"


def _trap(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return "__builtin_trap();"


def _exit(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    return "__builtin_amdgcn_endpgm();"


STATEMENT_RULES: Final[dict[str, Callable[[Words, Words, RegisterScope], str]]] = {
    "mov": _move,
    "setp": _compared,
    "selp": _selected,
    "ld": _load,
    "ldu": _load,
    "st": _store,
    "cvta": _address_space,
    "cp": _copied,
    "atom": _atom,
    "red": _red,
    "membar": _fence,
    "fence": _fence,
    "bar": _barrier,
    "barrier": _barrier,
    "shfl": _shuffled,
    "vote": _voted,
    "prefetch": _nothing,
    "prefetchu": _nothing,
    "applypriority": _nothing,
    "discard": _nothing,
    "griddepcontrol": _nothing,
    "setmaxnreg": _nothing,
    "createpolicy": _policy,
    "nanosleep": _sleep,
    "trap": _trap,
    "brkpt": _trap,
    "exit": _exit,
}
"""Instructions that are more, or less, than one result of their operands."""
