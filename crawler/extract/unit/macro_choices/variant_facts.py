"""Select what another choice of a project's macros shows of kernels that its build leaves out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from crawler.model import CompileCommand, KernelFacts, LaunchFacts, Layer, UnitFacts


@dataclass(frozen=True, slots=True)
class MacroVariant:
    """What another choice of a project's macros shows."""

    kernels: list[KernelFacts]
    launches: Sequence[LaunchFacts] = ()
    files: tuple[str, ...] = ()
    """Files that were read for it: where one of them changes, so may what it shows."""

    def extend(self, later: MacroVariant) -> MacroVariant:
        """Return this variant with what a later one shows of the kernels that it still missed."""
        return MacroVariant(
            later.kernels,
            (*self.launches, *later.launches),
            tuple(dict.fromkeys((*self.files, *later.files))),
        )


def explain_variant(command: CompileCommand, variant: CompileCommand) -> str:
    """Return with which flags a variant of a command shows what the command leaves out."""
    added = [word for word in variant.arguments if word not in command.arguments]
    if variant.dialect is not command.dialect:
        added.insert(0, f"-x {variant.dialect}")
    return f"seen with {' '.join(added)}"


def select_variant_facts(
    missed_kernels: Collection[KernelFacts], facts: UnitFacts, reason: str
) -> MacroVariant:
    """Return missed kernels, those that a variant's AST shows as its `facts` have them.

    They carry `reason`. Launches are kept where they are of a kernel that is shown.
    """
    kernels = _replace_shown_kernels(missed_kernels, facts.kernels, reason)
    shown_places = {
        (kernel.span.path, kernel.span.offset)
        for kernel in kernels
        if kernel.found_by is Layer.AST
    }

    launches = [
        launch
        for launch in facts.launches
        if (launch.target_path, launch.target_offset) in shown_places
    ]

    return MacroVariant(kernels, launches, facts.files)


def _replace_shown_kernels(
    missed_kernels: Collection[KernelFacts],
    variant_kernels: Collection[KernelFacts],
    reason: str,
) -> list[KernelFacts]:
    """Return missed kernels, those that a variant's AST shows as it does and with a reason."""
    # the text alone shows no more than before
    ast_kernels = [kernel for kernel in variant_kernels if kernel.found_by is Layer.AST]
    kernels = []
    for missed in missed_kernels:
        matching = next(
            (kernel for kernel in ast_kernels if kernel.span.overlaps(missed.span)),
            None,
        )
        kernels.append(replace(matching, reason=reason) if matching else missed)

    return kernels
