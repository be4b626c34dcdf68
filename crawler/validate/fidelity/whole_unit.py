"""Judge the fidelity of units by compiling the translation unit that they were cut from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Fidelity, KernelUnit, Status, Verdict
from crawler.validate.compilers.clang import ClangCompiler
from crawler.validate.fidelity.comparison import Comparison, compare_modules
from crawler.validate.fidelity.ptx_module import PtxModule
from crawler.validate.toolchains.compile_verdicts import judge_compilation
from crawler.validate.validator_interface import Built

_PTX: Final = "ptx"
_INSTANTIATION: Final = "template __global__ "


def judge_units(
    built_units: Sequence[tuple[KernelUnit, Built]], whole_text: str, target: str
) -> list[Comparison]:
    """Return for each unit how its code agrees with that of `whole_text`, in order.

    All units were cut from that text and compiled by clang with the same flags for `target`.
    Their kernels are instantiated in it as they are in the units.
    """
    compared = [
        (unit, built) for unit, built in built_units if built.build.form == _PTX
    ]
    if not compared:
        reason = "only PTX is compared"
        return [Comparison(Fidelity.NOT_COMPARABLE, reason) for _ in built_units]

    verdict, code = _compile_whole([unit for unit, _ in compared], whole_text, target)
    if verdict.status is not Status.PASS:
        reason = f"the whole translation unit: {verdict.code}: {verdict.message}"
        return [Comparison(Fidelity.NOT_COMPARABLE, reason) for _ in built_units]

    whole = PtxModule(code.decode("utf-8", "replace"))
    comparisons = []
    for _, built in built_units:
        unit = PtxModule(built.object.decode("utf-8", "replace"))
        comparisons.append(compare_modules(unit, whole))

    return comparisons


def _compile_whole(
    units: Sequence[KernelUnit], whole_text: str, target: str
) -> tuple[Verdict, bytes]:
    """Compile a whole translation unit with the instantiations of all units cut from it."""
    lines = dict.fromkeys(
        line
        for unit in units
        for line in unit.source.splitlines()
        if line.startswith(_INSTANTIATION)
    )
    source = "\n".join((whole_text, *lines)) + "\n"
    whole = replace(
        units[0],
        source=source,
        instantiations=(),
        missing_headers=(),
        kernel_name="",
    )
    compilation = ClangCompiler().run_compiler(whole, target, ())
    verdict, _ = judge_compilation(whole, compilation)
    return verdict, compilation.object
