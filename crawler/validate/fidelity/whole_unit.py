"""Judge the fidelity of units by compiling the translation unit that they were cut from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Fidelity, KernelUnit, Status, Verdict
from crawler.validate.fidelity.comparison import Comparison, compare_modules
from crawler.validate.fidelity.ir_module import IrModule
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
_MAX_IR_BYTES: Final = 32 << 20
_MAX_COMPARED_CODE_BYTES: Final = 256 << 10
"""PTX of units for which the whole is optimised, too; above, that costs more than to compare
what comes before it.
"""
_IR_FLAGS: Final = ("-emit-llvm", "-Xclang", "-disable-llvm-passes")
# the same text has other lines in a unit, which `assert` tells
_SAME_LINES: Final = ("-Wno-builtin-macro-redefined", "-D__LINE__=0")
_AGREEING: Final = (Fidelity.IDENTICAL, Fidelity.EQUIVALENT)
_INLINING: Final = "inlining or line numbers"
_UNOPTIMISED: Final = "compared before optimisation"
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
    if any(built.build.form != _PTX for _, built in group):
        return [Comparison(Fidelity.NOT_COMPARABLE, "only PTX is compared")] * len(
            group
        )

    if sum(len(built.object) for _, built in group) <= _MAX_COMPARED_CODE_BYTES:
        return _compare_machine_code(group, whole_text, target)

    units = [unit for unit, _ in group]
    agreements = _compare_before_optimisation(units, whole_text, target, _UNOPTIMISED)
    rest = [pair for pair in group if pair[0].digest not in agreements]
    comparisons = _compare_machine_code(rest, whole_text, target) if rest else []
    agreements |= {
        unit.digest: comparison
        for (unit, _), comparison in zip(rest, comparisons, strict=True)
    }
    return [agreements[unit.digest] for unit in units]


def _compare_machine_code(
    group: Sequence[BuiltUnit], whole_text: str, target: str
) -> list[Comparison]:
    units = [unit for unit, _ in group]
    if any(len(built.object) > _MAX_CODE_BYTES for _, built in group):
        return [Comparison(Fidelity.NOT_COMPARABLE, _TOO_LARGE)] * len(group)

    # above these a unit is compiled without optimisation
    is_optimised = len(units[0].instantiations) <= MANY_INSTANTIATIONS
    flags = () if is_optimised else ("-O0",)
    verdict, code = _compile(_join_with_whole(units, whole_text), target, flags)
    if verdict.status is not Status.PASS:
        problem = f"the whole translation unit: {verdict.code}: {verdict.message}"
        return [Comparison(Fidelity.NOT_COMPARABLE, problem)] * len(group)

    if len(code) > _MAX_CODE_BYTES:
        return [Comparison(Fidelity.NOT_COMPARABLE, _TOO_LARGE)] * len(group)

    whole = PtxModule(_decode(code))
    comparisons = [
        compare_modules(PtxModule(_decode(built.object)), whole) for _, built in group
    ]
    different_units = [
        unit
        for unit, comparison in zip(units, comparisons, strict=True)
        if comparison.fidelity is Fidelity.DIFFERENT
    ]
    if not (different_units and is_optimised):
        return comparisons

    agreements = _compare_before_optimisation(
        different_units, whole_text, target, _INLINING
    )
    return [
        agreements.get(unit.digest, comparison)
        for unit, comparison in zip(units, comparisons, strict=True)
    ]


def _compare_before_optimisation(
    units: Sequence[KernelUnit], whole_text: str, target: str, reason: str
) -> dict[str, Comparison]:
    """Return the units whose code is that of the whole before anything optimises it, by digest.

    Whether a function is inlined depends on who else calls it, and the whole has more kernels.
    They are `equivalent`, for `reason`.
    """
    agreements: dict[str, Comparison] = {}
    for flags in (_IR_FLAGS, (*_IR_FLAGS, *_SAME_LINES)):
        others = [unit for unit in units if unit.digest not in agreements]
        if not others:
            break

        whole = _emit_ir(_join_with_whole(others, whole_text), target, flags)
        if whole is None:
            break

        for unit in others:
            module = _emit_ir(unit, target, flags)
            if module and compare_modules(module, whole).fidelity in _AGREEING:
                agreements[unit.digest] = Comparison(Fidelity.EQUIVALENT, reason)

    return agreements


def _emit_ir(unit: KernelUnit, target: str, flags: tuple[str, ...]) -> IrModule | None:
    compilation = ClangCompiler().run_compiler(unit, target, flags)
    is_comparable = 0 < len(compilation.object) <= _MAX_IR_BYTES
    if compilation.process.exit_code or not is_comparable:
        return None

    return IrModule(_decode(compilation.object))


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


def _decode(code: bytes) -> str:
    return code.decode("utf-8", "replace")
