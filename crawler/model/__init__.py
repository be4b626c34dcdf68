"""The values that stages hand to each other: frozen, and serialisable by `crawler.codec`."""

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
from crawler.model.replaced import Replaced
from crawler.model.repository import Checkout, Licence, LicenceClass, Repo
from crawler.model.runs import Behaviour, Performance, Run, Strength, foremost
from crawler.model.sightings import Binding, Closure, KernelSighting, LaunchSighting, UnitFacts
from crawler.model.source import (
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
from crawler.model.unit import Change, KernelUnit, PortReport, Wave
from crawler.model.verdicts import Build, Resources, Status, Toolchain, Verdict

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
    "FlagsOrigin",
    "GeneratedFile",
    "GlobalVariable",
    "HostCode",
    "Instantiation",
    "InstantiationOrigin",
    "Kernel",
    "KernelRecord",
    "KernelSighting",
    "KernelUnit",
    "Launch",
    "LaunchSighting",
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
    "Replaced",
    "Repo",
    "Resources",
    "Run",
    "Span",
    "Status",
    "StrategyReport",
    "Strength",
    "Suite",
    "TemplateParameter",
    "Toolchain",
    "UnitFacts",
    "Verdict",
    "VersionConflict",
    "VersionRequirement",
    "Wave",
    "foremost",
]
