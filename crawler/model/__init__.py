"""Immutable values exchanged between stages, serialised by `crawler.codec`."""

from __future__ import annotations

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
from crawler.model.dialect import Dialect
from crawler.model.kernel import Kernel, KernelRecord, Provenance
from crawler.model.operators import HostCode, Operator, OperatorPart, OperatorRole
from crawler.model.repository import Checkout, Licence, LicenceClass, Repo
from crawler.model.runs import (
    Behaviour,
    Performance,
    Run,
    Strength,
    select_run_per_device,
    select_run_per_instantiation,
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
)
from crawler.model.suite import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    Oracle,
    Suite,
)
from crawler.model.text_replacement import TextReplacement
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
    "Behaviour",
    "Binding",
    "BufferRole",
    "Build",
    "Case",
    "CaseArgument",
    "CaseBuffer",
    "CaseKind",
    "CasePointer",
    "Change",
    "Checkout",
    "Closure",
    "CompileCommand",
    "CompileDatabase",
    "Diagnostic",
    "Dialect",
    "Fidelity",
    "FlagsOrigin",
    "GeneratedFile",
    "GlobalVariable",
    "HostCode",
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
    "Run",
    "Rung",
    "Span",
    "Status",
    "StrategyReport",
    "Strength",
    "Suite",
    "TemplateParameter",
    "TextReplacement",
    "Toolchain",
    "UnitFacts",
    "Verdict",
    "VersionConflict",
    "VersionRequirement",
    "Wave",
    "select_run_per_device",
    "select_run_per_instantiation",
]
