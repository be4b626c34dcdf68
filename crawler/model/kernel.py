"""Kernels, their provenance, and the record that is queried and exported."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.model.compile_commands import FlagsOrigin
from crawler.model.dialect import Dialect
from crawler.model.operators import (
    FunctionComment,
    HostCode,
    HostCompanion,
    Operator,
)
from crawler.model.repository import Licence, Repo
from crawler.model.reviews import Review
from crawler.model.runs import Run
from crawler.model.source_elements import (
    GlobalVariable,
    Instantiation,
    Launch,
    Layer,
    Origin,
    Parameter,
    Span,
    TemplateParameter,
)
from crawler.model.suite import Suite
from crawler.model.unit import KernelUnit
from crawler.model.verdicts import Build


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel definition at one place of one commit, merged from every unit that showed it."""

    name: str
    qualified_name: str
    mangled: str
    dialect: Dialect
    span: Span
    found_by: Layer
    reason: str
    source: str
    template_head: str
    parameters: tuple[Parameter, ...]
    template_parameters: tuple[TemplateParameter, ...]
    attributes: tuple[str, ...]
    instantiations: tuple[Instantiation, ...]
    launches: tuple[Launch, ...]
    flags_origin: FlagsOrigin
    added_flags: tuple[str, ...] = ()
    """Where the flags were completed: what leads to headers of the tree."""
    borrowed_from: str = ""
    unit: KernelUnit | None = None
    origins: tuple[Origin, ...] = ()
    """Where the parts of its unit stand, in the unit's order; what a compile command defines
    stands nowhere.
    """
    unit_problem: str = ""
    """Why there is no unit: a stable slug with a detail."""
    state: tuple[GlobalVariable, ...] = ()
    """The global state that its unit carries."""
    tags: tuple[str, ...] = ()
    """Measures and features: `trivial`, `large`, `template`, `uses:atomics`, …"""
    licence: Licence = Licence()
    operators: tuple[Operator, ...] = ()
    """The operators that reach it, the nearest first."""
    host: tuple[HostCode, ...] = ()
    """The code round it on the host, from Python inwards, as far as it is known and not too
    long.
    """
    companions: tuple[HostCompanion, ...] = ()
    """The constants, functions and classes that this code names, and what calls it, the nearest
    first, as far as they are known and not too long.
    """
    comments: tuple[FunctionComment, ...] = ()
    """What comments in front of it and of its launchers say, its own first."""
    author_port: Span | None = None
    """Where the HIP version of a CUDA kernel stands that its author wrote; `None` where there is
    none in the same commit.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a kernel comes from, to the byte."""

    repo: Repo
    span: Span
    snapshot: str
    """Digest of the stored sources."""
    flags_origin: FlagsOrigin
    borrowed_from: str = ""
    stages: tuple[tuple[str, str], ...] = ()
    """(stage, version) of what made the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRecord:
    """Everything that is known of one kernel at one place: what is queried and exported."""

    kernel: Kernel
    provenance: Provenance
    ports: tuple[KernelUnit, ...] = ()
    builds: tuple[Build, ...] = ()
    runs: tuple[Run, ...] = ()
    """The newest of each device, of its unit and then of its ports."""
    suites: tuple[tuple[str, Suite], ...] = ()
    """(digest, suite) of those that the runs name, each once."""
    cluster: str = ""
    """Digest that exact and token-wise duplicates share; empty without a unit."""
    near_cluster: str = ""
    """Digest that kernels share whose own texts are nearly the same; empty for one without a text.
    """
    reasons: tuple[str, ...] = ()
    """Stable codes: why there is no unit, why a build or a run failed, what blocks a port."""
    reviews: tuple[Review, ...] = ()
    """What people said of its unit, the oldest first."""
    redactions: tuple[tuple[str, int], ...] = ()
    """(class, places) of what was taken out of its texts since it is secret or personal."""
