"""Classify the computation of a kernel by its name and text, with the evidence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from crawler.extract.describe.code_facts import (
    LOOP,
    is_of_thread,
    iter_loaded_indices,
    iter_own_loop_headers,
    iter_sums,
)
from crawler.extract.describe.kernel_class_rules import (
    NAME_NEEDS,
    NAME_RULES,
    STRONG_CODE_RULES,
    SUBSCRIPTED_INDEX,
    WEAK_CODE_RULES,
)
from crawler.extract.describe.measures import blank_comments
from crawler.model import Kernel

UNCLASSIFIED: Final = "other"
_WEAK_WEIGHT: Final = 1
_STRONG_WEIGHT: Final = 2
_NAME_WEIGHT: Final = 4
_MIN_POINTS: Final = 2
_PLAIN_KINDS: Final = ("reduction", "gather-scatter")
"""Classes of kernels that combine or move elements and do not transform them."""
_INDEX: Final = r"(?:\[(?:[^\[\];={}]|\[[^\[\];={}]{1,100}\]){1,300}\]\s*){1,4}"
# `layerNorm` is `layer_norm` to the rules of names
_CAMEL_CASE_SEAM: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Kernels in any state are judged, many of which no parser takes whole; a slip costs a tag.
_STORE: Final = re.compile(r"\b\w+\s*\[([^\[\]]+)\]\s*[-+*/|&^]?=(?!=)")
_MOVE: Final = re.compile(
    rf"\b\w+\s*({_INDEX})=\s*(?:[\w:<>]+\s*\(\s*)?\w+\s*({_INDEX})\)?\s*;"
)
_ANY_STORE: Final = re.compile(r"\b\w+\s*\[[^;={}]{1,300}\]\s*[-+*/|&^]?=(?!=)")
_ARRAY: Final = re.compile(r"\b(\w+)\s*\[")
_WRITTEN_ARRAY: Final = re.compile(r"\b(\w+)\s*\[[^;={}]{1,300}\]\s*[-+*/|&^]?=(?!=)")
_SUBSCRIPT: Final = re.compile(r"\[[^\[\]]*\]")
_CALL: Final = re.compile(r"\b([A-Za-z_]\w*)\s*[<(]")
_MATHEMATICS: Final = re.compile(
    r"\b_*(?:h2?)?(?:exp|log|tanh|pow|erf|r?sqrt|sin|cos)\w*\s*\("
)
_COOPERATION: Final = re.compile(
    r"__shared__|__syncthreads|__shfl|\batomic[A-Z]|__ballot"
)
_Evidence = tuple[str, int, str]
"""Class, weight, and what speaks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation:
    """A class of computation; a guess with its reasons, not a proof."""

    kind: str
    """`elementwise`, `reduction`, `scan`, `stencil`, `matrix-product`, `gather-scatter`,
    `sort`, …, or `other`.
    """
    evidence: tuple[str, ...]
    """What speaks for it, a reason each, for a person."""


def classify_computation(kernel: Kernel) -> Computation:
    """Return the class for which most speaks: a name that the code bears out, a fact that names a
    class by itself, or two facts.
    """
    # of `GENERATE_KERNEL(scale, float)` the body stands in the macro
    own_code = blank_comments(kernel.source)
    code = own_code if "{" in own_code else ""
    unit_code = blank_comments(kernel.unit.source) if kernel.unit else ""
    all_code = f"{code}\n{unit_code}"

    return _weigh(
        (
            *_judge_name(kernel, code, all_code),
            *_judge_code(code, all_code),
        )
    )


def _weigh(evidence: Iterable[_Evidence]) -> Computation:
    points: dict[str, int] = defaultdict(int)
    reasons: dict[str, list[str]] = defaultdict(list)

    for kind, weight, reason in evidence:
        points[kind] += weight
        reasons[kind].append(reason)

    if not points or max(points.values()) < _MIN_POINTS:
        return Computation(kind=UNCLASSIFIED, evidence=())

    # of equals the one that was met first
    best_kind = max(points, key=lambda kind: points[kind])
    return Computation(kind=best_kind, evidence=tuple(reasons[best_kind]))


def _leaves_work(kernel: Kernel, code: str) -> bool:
    """Tell whether a kernel only calls what it is passed, such as a lambda."""
    if _ANY_STORE.search(code) or "atomic" in code:
        return False

    called_names = {call[1] for call in _CALL.finditer(code)}
    return any(parameter.name in called_names for parameter in kernel.parameters)


def _judge_name(kernel: Kernel, code: str, all_code: str) -> Iterator[_Evidence]:
    """Judge a name by its words, as far as the code may do what they say."""
    if _leaves_work(kernel, code):
        return

    # `maxPool` is searched as `max_pool`
    words = _CAMEL_CASE_SEAM.sub("_", kernel.name).lower()
    for kind, pattern in NAME_RULES:
        match = pattern.search(words)
        # threads that work together, or write where another array says
        is_refuted = kind == "elementwise" and (
            _COOPERATION.search(code) or SUBSCRIPTED_INDEX.search(code)
        )
        if not match or is_refuted:
            continue
        # what is called moves elements for other reasons
        evidence_code = code if kind == "transpose" else all_code
        # indices are multiplied and divided whatever is computed
        body = _SUBSCRIPT.sub("[]", evidence_code.replace(kernel.name, ""))
        if _bears_out(body, kind, pattern):
            yield kind, _NAME_WEIGHT, f"name: {match[0].strip('_')}"


def _bears_out(code: str, kind: str, pattern: re.Pattern[str]) -> bool:
    """Tell whether code may do what a name says: by what it has, or by what it calls."""
    if all(need.search(code) for need in NAME_NEEDS[kind]):
        return True

    if kind == "transpose":
        return False

    calls = (
        _CAMEL_CASE_SEAM.sub("_", call[1]).lower() for call in _CALL.finditer(code)
    )
    return any(pattern.search(call) for call in calls)


def _judge_code(code: str, all_code: str) -> Iterator[_Evidence]:
    if not code:
        return

    for kind, pattern, meaning in STRONG_CODE_RULES:
        match = pattern.search(code)
        # the root of a moment that an optimiser keeps is no deviation of data
        is_kept = kind == "normalisation" and match and _keeps_any_of(match[0], code)
        if match and not is_kept:
            yield kind, _STRONG_WEIGHT, f"code: {meaning}"

    yield from _judge_moves(code)

    loops = sum(1 for _ in iter_own_loop_headers(code))
    sum_name = next(iter_sums(code), "") if loops else ""
    evidence = list(_judge_weakly(code, sum_name, loops))
    # what exponentiates on the way is a loss, a softmax or an activation
    has_plain_kind = any(kind in _PLAIN_KINDS for kind, _, _ in evidence)
    if has_plain_kind and _MATHEMATICS.search(all_code):
        evidence = [item for item in evidence if item[0] not in _PLAIN_KINDS]
    yield from evidence

    yield from _judge_independence(code, all_code, loops)


def _keeps_any_of(expression: str, code: str) -> bool:
    """Tell whether code writes to an array that an expression reads."""
    arrays = set(_ARRAY.findall(expression))
    return not arrays.isdisjoint(_WRITTEN_ARRAY.findall(code))


def _judge_weakly(code: str, sum_name: str, loops: int) -> Iterator[_Evidence]:
    for kind, pattern, meaning in WEAK_CODE_RULES:
        if pattern.search(code):
            is_strong = kind == "search" and loops > 0
            weight = _STRONG_WEIGHT if is_strong else _WEAK_WEIGHT
            yield kind, weight, f"code: {meaning}"

    # e.g. `j = index[i]; out[j] = in[i]`, or `out[index[i]] = in[i]`
    index_name = next(iter_loaded_indices(code), "")
    # with a loop there is more to it
    weight = _WEAK_WEIGHT if loops else _STRONG_WEIGHT
    if index_name:
        reason = f"code: subscripts by {index_name}, which it has read"
        yield "gather-scatter", weight, reason
    elif SUBSCRIPTED_INDEX.search(code):
        reason = "code: subscripts by a subscripted value"
        yield "gather-scatter", weight, reason

    if sum_name:
        reason = f"code: each thread sums in a loop: {sum_name}"
        yield "reduction", _WEAK_WEIGHT, reason


def _judge_moves(code: str) -> Iterator[_Evidence]:
    """Judge a kernel that only copies elements, some to another index."""
    # all stores are copies, and one at least changes the place
    moves = _MOVE.findall(code)
    if "atomic" in code or not moves or len(moves) != len(_ANY_STORE.findall(code)):
        return
    if all(target.split() == origin.split() for target, origin in moves):
        return

    way = "through shared memory" if "__shared__" in code else "to other places"
    reason = f"code: moves elements {way} and changes none"
    yield "gather-scatter", _STRONG_WEIGHT, reason


def _judge_independence(code: str, all_code: str, loops: int) -> Iterator[_Evidence]:
    """Judge a kernel whose threads do not cooperate, nor those functions that they call."""
    if _COOPERATION.search(all_code) or next(iter_loaded_indices(code), ""):
        return

    stored_indices = {"".join(index.split()) for index in _STORE.findall(code)}
    # the kernel is in its own text and in its unit's
    has_called_loop = len(LOOP.findall(all_code)) > 2 * len(LOOP.findall(code))
    if len(stored_indices) == 1 and loops <= 1 and not has_called_loop:
        index = stored_indices.pop()
        if is_of_thread(index, code) and not next(iter_sums(code), ""):
            reason = f"code: each thread writes its own element [{index}]"
            yield "elementwise", _STRONG_WEIGHT, reason
    elif stored_indices and not loops and not has_called_loop:
        reason = "code: each thread works by itself, without a loop"
        yield "elementwise", _STRONG_WEIGHT, reason
