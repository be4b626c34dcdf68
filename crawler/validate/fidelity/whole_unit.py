"""Judge the fidelity of units by compiling the translation unit that they were cut from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Fidelity, KernelUnit, Status, Verdict
from crawler.validate.fidelity.comparison import Comparison, compare_modules
from crawler.validate.fidelity.ptx_module import PtxModule
from crawler.validate.toolchains.clang_compiler import (
    MANY_INSTANTIATIONS,
    ClangCompiler,
)
from crawler.validate.toolchains.compile_verdicts import judge_compilation
from crawler.validate.validator_interface import Built

BuiltUnit = tuple[KernelUnit, Built]
_PTX: Final = "ptx"
_MAX_CODE_BYTES: Final = 16 << 20
"""PTX that is compared: reading it takes some ten times the memory."""
_TOO_LARGE: Final = f"its code has more than {_MAX_CODE_BYTES >> 20} MB"
_UNOPTIMISED: Final = ("-O0",)
# the same text has other lines in a unit, which `assert` tells
_SAME_LINES: Final = ("-Wno-builtin-macro-redefined", "-D__LINE__=0")
_INLINING: Final = "inlining or line numbers"
_INSTANTIATION: Final = "template __global__ "


def judge_units(
    built_units: Sequence[BuiltUnit], whole_text: str, target: str
) -> list[Comparison]:
    """Return for each unit how its code agrees with that of `whole_text`, in order.

    All units were cut from that text and compiled by clang with the same flags for `target`.
    Their kernels are instantiated in it as they are in the units.
    """
    comparisons: list[Comparison] = []
    for group in _divide(built_units):
        comparisons += _judge_group(group, whole_text, target)

    return comparisons


def _divide(built_units: Sequence[BuiltUnit]) -> Iterator[list[BuiltUnit]]:
    """Yield the units in order, together as many as are compiled at once."""
    group: list[BuiltUnit] = []
    instantiation_count = 0
    for unit, built in built_units:
        instantiation_count += len(unit.instantiations)
        if group and instantiation_count > MANY_INSTANTIATIONS:
            yield group
            group = []
            instantiation_count = len(unit.instantiations)

        group.append((unit, built))

    if group:
        yield group


def _judge_group(
    group: Sequence[BuiltUnit], whole_text: str, target: str
) -> list[Comparison]:
    units = [unit for unit, _ in group]
    problem = ""
    if any(built.build.form != _PTX for _, built in group):
        problem = "only PTX is compared"
    elif any(len(built.object) > _MAX_CODE_BYTES for _, built in group):
        problem = _TOO_LARGE

    if problem:
        return [Comparison(Fidelity.NOT_COMPARABLE, problem)] * len(group)

    # above these a unit is compiled without optimisation
    is_optimised = len(units[0].instantiations) <= MANY_INSTANTIATIONS
    flags = () if is_optimised else _UNOPTIMISED
    verdict, code = _compile(_join_with_whole(units, whole_text), target, flags)
    if verdict.status is not Status.PASS:
        problem = f"the whole translation unit: {verdict.code}: {verdict.message}"
        return [Comparison(Fidelity.NOT_COMPARABLE, problem)] * len(group)

    if len(code) > _MAX_CODE_BYTES:
        return [Comparison(Fidelity.NOT_COMPARABLE, _TOO_LARGE)] * len(group)

    whole = _read_module(code)
    comparisons = []
    for unit, built in group:
        comparison = compare_modules(_read_module(built.object), whole)
        if comparison.fidelity is Fidelity.DIFFERENT and is_optimised:
            comparison = _compare_unoptimised(unit, whole_text, target, comparison)
        comparisons.append(comparison)

    return comparisons


def _compare_unoptimised(
    unit: KernelUnit, whole_text: str, target: str, optimised: Comparison
) -> Comparison:
    """Return the comparison of the code that no optimiser has touched, where that agrees.

    Whether a function is inlined depends on who else calls it, and the whole has more kernels.
    """
    flags = (*_UNOPTIMISED, *_SAME_LINES)
    unit_verdict, unit_code = _compile(unit, target, flags)
    whole = _join_with_whole([unit], whole_text)
    whole_verdict, whole_code = _compile(whole, target, flags)
    if not unit_verdict.status is whole_verdict.status is Status.PASS:
        return optimised

    comparison = compare_modules(_read_module(unit_code), _read_module(whole_code))
    if comparison.fidelity in (Fidelity.IDENTICAL, Fidelity.EQUIVALENT):
        return Comparison(Fidelity.EQUIVALENT, _INLINING)
    return comparison


def _join_with_whole(units: Sequence[KernelUnit], whole_text: str) -> KernelUnit:
    """Return a whole translation unit with the instantiations of the units cut from it."""
    lines = dict.fromkeys(
        line
        for unit in units
        for line in unit.source.splitlines()
        if line.startswith(_INSTANTIATION)
    )
    return replace(
        units[0],
        source="\n".join((whole_text, *lines)) + "\n",
        instantiations=(),
        missing_headers=(),
        kernel_name="",
    )


def _compile(
    unit: KernelUnit, target: str, flags: tuple[str, ...]
) -> tuple[Verdict, bytes]:
    compilation = ClangCompiler().run_compiler(unit, target, flags)
    verdict, _ = judge_compilation(unit, compilation)
    return verdict, compilation.object


def _read_module(code: bytes) -> PtxModule:
    return PtxModule(code.decode("utf-8", "replace"))
