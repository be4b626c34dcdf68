"""Immutable values exchanged between stages, serialised by `crawler.codec`.

A module is loaded when a name of it is first asked for: making the classes of all takes as long as
a look at a small index does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from crawler.model.compile_commands import (
        CompileCommand,
        CompileDatabase,
        FlagsOrigin,
        GeneratedFile,
        ProjectEnvironment,
        StrategyReport,
        VersionConflict,
        VersionRequirement,
    )
    from crawler.model.completions import AttemptVerdict, CompletionAttempt
    from crawler.model.dependencies import (
        ADDRESS_REFUSED,
        DEBIAN_SCHEME,
        DEPENDENCY_FOLDER,
        Dependency,
    )
    from crawler.model.dialect import Dialect
    from crawler.model.kernel import Kernel, KernelRecord, Provenance
    from crawler.model.operators import (
        CommentRole,
        CompanionKind,
        FunctionComment,
        HostCode,
        HostCompanion,
        Operator,
        OperatorPart,
        OperatorRole,
    )
    from crawler.model.repository import Checkout, Licence, LicenceClass, Repo
    from crawler.model.reviews import (
        ChecklistItem,
        Review,
        ReviewComment,
        ReviewedPart,
        ReviewState,
        ReviewVerdict,
        decide_review_state,
        select_newest_reviews,
    )
    from crawler.model.run_choice import (
        select_run_per_device,
        select_run_per_instantiation,
    )
    from crawler.model.runs import (
        Behaviour,
        Extents,
        Performance,
        Run,
        Strength,
        StrengthClass,
        Survivor,
    )
    from crawler.model.source_elements import (
        Diagnostic,
        GlobalVariable,
        Instantiation,
        InstantiationOrigin,
        Launch,
        Layer,
        Origin,
        Parameter,
        Span,
        TemplateParameter,
        TextReplacement,
    )
    from crawler.model.suite import (
        BufferRole,
        Case,
        CaseArgument,
        CaseBuffer,
        CaseKind,
        CaseOrigin,
        CasePointer,
        Oracle,
        Suite,
    )
    from crawler.model.unit import Change, KernelUnit, PortReport, Rung, Wave
    from crawler.model.unit_facts import (
        Binding,
        Closure,
        KernelFacts,
        LaunchFacts,
        UnitFacts,
    )
    from crawler.model.verdicts import (
        Build,
        Fidelity,
        Resources,
        Status,
        Toolchain,
        Verdict,
    )

__all__ = [
    "ADDRESS_REFUSED",
    "DEBIAN_SCHEME",
    "DEPENDENCY_FOLDER",
    "AttemptVerdict",
    "Behaviour",
    "Binding",
    "BufferRole",
    "Build",
    "Case",
    "CaseArgument",
    "CaseBuffer",
    "CaseKind",
    "CaseOrigin",
    "CasePointer",
    "Change",
    "ChecklistItem",
    "Checkout",
    "Closure",
    "CommentRole",
    "CompanionKind",
    "CompileCommand",
    "CompileDatabase",
    "CompletionAttempt",
    "Dependency",
    "Diagnostic",
    "Dialect",
    "Extents",
    "Fidelity",
    "FlagsOrigin",
    "FunctionComment",
    "GeneratedFile",
    "GlobalVariable",
    "HostCode",
    "HostCompanion",
    "Instantiation",
    "InstantiationOrigin",
    "Kernel",
    "KernelFacts",
    "KernelRecord",
    "KernelUnit",
    "Launch",
    "LaunchFacts",
    "Layer",
    "Licence",
    "LicenceClass",
    "Operator",
    "OperatorPart",
    "OperatorRole",
    "Oracle",
    "Origin",
    "Parameter",
    "Performance",
    "PortReport",
    "ProjectEnvironment",
    "Provenance",
    "Repo",
    "Resources",
    "Review",
    "ReviewComment",
    "ReviewState",
    "ReviewVerdict",
    "ReviewedPart",
    "Run",
    "Rung",
    "Span",
    "Status",
    "StrategyReport",
    "Strength",
    "StrengthClass",
    "Suite",
    "Survivor",
    "TemplateParameter",
    "TextReplacement",
    "Toolchain",
    "UnitFacts",
    "Verdict",
    "VersionConflict",
    "VersionRequirement",
    "Wave",
    "decide_review_state",
    "select_newest_reviews",
    "select_run_per_device",
    "select_run_per_instantiation",
]

_NAMES_PER_MODULE: Final = {
    "compile_commands": (
        "CompileCommand CompileDatabase FlagsOrigin GeneratedFile "
        "ProjectEnvironment StrategyReport VersionConflict VersionRequirement"
    ),
    "completions": "AttemptVerdict CompletionAttempt",
    "dependencies": "ADDRESS_REFUSED DEBIAN_SCHEME DEPENDENCY_FOLDER Dependency",
    "dialect": "Dialect",
    "kernel": "Kernel KernelRecord Provenance",
    "operators": (
        "CommentRole CompanionKind FunctionComment HostCode HostCompanion "
        "Operator OperatorPart OperatorRole"
    ),
    "repository": "Checkout Licence LicenceClass Repo",
    "reviews": (
        "ChecklistItem Review ReviewComment ReviewedPart ReviewState "
        "ReviewVerdict decide_review_state select_newest_reviews"
    ),
    "run_choice": "select_run_per_device select_run_per_instantiation",
    "runs": "Behaviour Extents Performance Run Strength StrengthClass Survivor",
    "source_elements": (
        "Diagnostic GlobalVariable Instantiation InstantiationOrigin Launch "
        "Layer Origin Parameter Span TemplateParameter TextReplacement"
    ),
    "suite": (
        "BufferRole Case CaseArgument CaseBuffer CaseKind CaseOrigin "
        "CasePointer Oracle Suite"
    ),
    "unit": "Change KernelUnit PortReport Rung Wave",
    "unit_facts": "Binding Closure KernelFacts LaunchFacts UnitFacts",
    "verdicts": "Build Fidelity Resources Status Toolchain Verdict",
}
_MODULES: Final = {
    name: module
    for module, names in _NAMES_PER_MODULE.items()
    for name in names.split()
}


def __dir__() -> list[str]:
    return sorted(_MODULES)


# type checkers do not see it, since they would take any name then
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        module = _MODULES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{module}"), name)
        # found without this function from now on
        globals()[name] = value
        return value
