"""Rows of the dataset: everything known of one kernel at one place."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from crawler.dataset.rows.build_row import BuildRow, select_best_statuses, to_build_row
from crawler.dataset.rows.instantiation_row import (
    InstantiationRow,
    list_execution_statuses,
    list_extents,
    list_instantiation_rows,
    list_performance_statuses,
    list_strength_classes,
)
from crawler.dataset.rows.json_schema import build_json_schema
from crawler.dataset.rows.run_row import RunRow, SuiteRow, to_run_row, to_suite_row
from crawler.dataset.rows.unit_row import UnitRow, to_unit_row
from crawler.dataset.texts.depth import (
    Depth,
    find_missing_parts,
    flatten_first_instantiations,
)
from crawler.dataset.texts.flatten import Flat
from crawler.extract.describe.kernel_class import Computation, classify_computation
from crawler.extract.describe.measures import Measures, measure_kernel
from crawler.model import (
    FunctionComment,
    GlobalVariable,
    HostCode,
    HostCompanion,
    Kernel,
    KernelRecord,
    Launch,
    Licence,
    Operator,
    Origin,
    Parameter,
    Repo,
    Review,
    Span,
    TemplateParameter,
    decide_review_state,
    select_run_per_device,
)
from crawler.validate.harness.program import Harness

SCHEMA_NAME: Final = "kernelset.kernel/1"

_Tests = tuple[Harness, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kernel definition at one place; the published form of a `KernelRecord`."""

    schema: str
    """Name and version of this form: `kernelset.kernel/1`."""
    id: str
    """Of the place: sha256 over source, repository, commit, path and offset."""
    digest: str
    """Of the unit in the source's dialect; empty without a unit."""
    name: str
    """Of the kernel, without namespaces and template arguments."""
    qualified_name: str
    """With the namespaces and classes that it stands in."""
    mangled: str
    """Of a plain kernel; a template's are those of its instantiations."""
    dialect: str
    """`cuda` or `hip`."""
    found_by: str
    """`ast`, `syntactic` or `string`."""
    reason: str
    """Why it was not the AST; where it was, what it was `seen with` that no build of it sets,
    or nothing.
    """
    repo: Repo
    """The repository, at the pinned version that was read."""
    snapshot: str
    """Digest of the stored sources."""
    span: Span
    """Where the definition stands, its template head included."""
    source: str
    """The definition, verbatim."""
    template_head: str
    """`template <…>` as written; empty for a plain kernel."""
    parameters: tuple[Parameter, ...]
    """What the kernel takes, in their order."""
    template_parameters: tuple[TemplateParameter, ...]
    """What its template takes, in their order; none for a plain kernel."""
    attributes: tuple[str, ...]
    """`__launch_bounds__(256, 2)`, `extern "C"`, `static`, as written."""
    instantiations: tuple[InstantiationRow, ...]
    """The sets of template arguments that the project uses, each with the verdicts of its own
    runs; a default set where it uses none.
    """
    launches: tuple[Launch, ...]
    """The places in its repository that launch it."""
    flags_origin: str
    """Where its compile command is from: `exported`, `recorded`, `borrowed`, `completed` or
    `synthesised`."""
    borrowed_from: str
    """For a kernel in a header: the translation unit that lent its flags."""
    unit: UnitRow | None
    """The smallest source of it that compiles alone; null where none could be cut out."""
    origins: tuple[Origin, ...]
    """Where the parts of the unit stand in the repository, in the unit's order; none at the
    depth `pure`.
    """
    unit_problem: str
    """Why there is no unit: a stable slug with a detail."""
    ports: tuple[UnitRow, ...]
    """The unit in other dialects."""
    builds: tuple[BuildRow, ...]
    """What compilers said of the unit and its ports, target by target."""
    pass_call: dict[str, str]
    """Target to status."""
    runs: tuple[RunRow, ...]
    """What the unit and its ports did where they were run, device by device."""
    pass_exe: dict[str, str]
    """Device to status: of the unit, or of its port where only that ran there. It is that of the
    one instantiation that the first of its `runs` names; `instantiations` have one each.
    """
    extents: dict[str, str]
    """Device to where the sizes of memory come from, of the same instantiation: `launcher`,
    `inferred` or `unproven`; without a device where no launch ran cleanly.
    """
    strength: dict[str, str]
    """Device to `strong`, `weak` or `unmeasured`: how much the cases of the same instantiation can
    tell; `runs` have the counts.
    """
    pass_perf: dict[str, str]
    """Device to status, where it was timed: of the same instantiation."""
    suites: tuple[SuiteRow, ...]
    """What the runs were given, and what ought to come out; the bytes themselves are in `tests`."""
    tests: tuple[Harness, ...]
    """At the depth `full`: a program for the unit, and one for its port, that prints `All tests
    passed!`.
    """
    state: tuple[GlobalVariable, ...]
    """The `__constant__` and `__device__` variables, textures and surfaces that the unit
    carries.
    """
    tags: tuple[str, ...]
    """What it uses and how it is: `uses:atomics`, `class:reduction`, `trivial`, `large`,
    `high-dependency`, …
    """
    measures: Measures
    """Counts over its text."""
    computation: Computation
    """What it computes, as far as its name and text tell."""
    operators: tuple[Operator, ...]
    """The operators that reach the kernel, each with its parts from Python inwards."""
    comments: tuple[FunctionComment, ...]
    """What comments in front of the kernel and of its launchers say, its own first."""
    licence: Licence
    """Of the file that it stands in: its own header's, else its repository's."""
    cluster: str
    """What kernels share whose units have the same tokens; empty without a unit."""
    near_cluster: str
    """What kernels share whose own texts are nearly the same, in whatever repository they stand;
    empty for one without a text.
    """
    reasons: tuple[str, ...]
    """Stable codes of why there is no unit, no port, no object or no good run."""
    review: str
    """What people came to: `unreviewed`, `accepted`, `rejected`, `needs-work`, or `disputed` where
    no verdict has more than half of them behind it.
    """
    reviews: tuple[Review, ...]
    """What each of them said of the unit, the oldest first."""
    redactions: dict[str, int]
    """Class of what was taken out of the texts, `email`, `aws-key`, …, to places; a text of which
    something was taken has no longer the digest that names it.
    """
    stages: dict[str, str]
    """Stage to a digest of the version of code and tools that made this."""
    depth: str
    """`pure`: units lack their sources; `unit`: they have them; `full`: `host` and `tests` are
    filled, too.
    """
    pure: tuple[Flat, ...]
    """The kernel alone, template-free, for its first instantiations."""
    host: tuple[HostCode, ...]
    """The code that launches the kernel, from Python inwards."""
    companions: tuple[HostCompanion, ...]
    """At the depth `full`: the constants, functions and classes that this code names, and what
    calls it, the nearest first.
    """
    author_port: Span | None
    """Where the HIP version of a CUDA kernel stands that its author wrote; `null` where there is
    none in the same commit.
    """
    absent: tuple[str, ...]
    """What the depth promises and nobody knows of this kernel: `unit`, `launcher`, `tests`, …"""


def to_row(record: KernelRecord, depth: Depth = Depth.UNIT, tests: _Tests = ()) -> Row:
    """Return the row that a record is published as; `tests` are those of the depth `full`."""
    kernel = record.kernel
    run_per_device = select_run_per_device(record.runs)
    return Row(
        schema=SCHEMA_NAME,
        id=compute_place_id(record),
        digest=kernel.unit.digest if kernel.unit else "",
        name=kernel.name,
        qualified_name=kernel.qualified_name,
        mangled=kernel.mangled,
        dialect=kernel.dialect.value,
        found_by=kernel.found_by.value,
        reason=kernel.reason,
        repo=record.provenance.repo,
        snapshot=record.provenance.snapshot,
        span=kernel.span,
        source=kernel.source,
        template_head=kernel.template_head,
        parameters=kernel.parameters,
        template_parameters=kernel.template_parameters,
        attributes=kernel.attributes,
        instantiations=list_instantiation_rows(record),
        launches=kernel.launches,
        flags_origin=kernel.flags_origin.value,
        borrowed_from=kernel.borrowed_from,
        unit=_to_own_unit_row(kernel, depth),
        origins=kernel.origins if depth is not Depth.PURE else (),
        unit_problem=kernel.unit_problem,
        ports=_list_port_rows(record, depth),
        builds=tuple(map(to_build_row, record.builds)),
        pass_call=select_best_statuses(record.builds),
        runs=tuple(map(to_run_row, record.runs)),
        pass_exe=list_execution_statuses(run_per_device),
        extents=list_extents(run_per_device),
        strength=list_strength_classes(run_per_device),
        pass_perf=list_performance_statuses(run_per_device),
        suites=tuple(to_suite_row(digest, suite) for digest, suite in record.suites),
        tests=tests,
        state=kernel.state,
        tags=kernel.tags,
        measures=measure_kernel(kernel),
        computation=classify_computation(kernel),
        operators=kernel.operators,
        comments=kernel.comments,
        licence=kernel.licence,
        cluster=record.cluster,
        near_cluster=record.near_cluster,
        reasons=record.reasons,
        review=decide_review_state(record.reviews).value,
        reviews=record.reviews,
        redactions=dict(record.redactions),
        stages=dict(record.provenance.stages),
        depth=depth.value,
        pure=flatten_first_instantiations(kernel),
        host=kernel.host if depth is Depth.FULL else (),
        companions=kernel.companions if depth is Depth.FULL else (),
        author_port=kernel.author_port,
        absent=find_missing_parts(kernel, depth, has_tests=bool(tests)),
    )


def _to_own_unit_row(kernel: Kernel, depth: Depth) -> UnitRow | None:
    if kernel.unit is None:
        return None

    return to_unit_row(kernel.unit, with_source=depth is not Depth.PURE)


def _list_port_rows(record: KernelRecord, depth: Depth) -> tuple[UnitRow, ...]:
    has_sources = depth is not Depth.PURE
    return tuple(to_unit_row(port, with_source=has_sources) for port in record.ports)


def compute_place_id(record: KernelRecord) -> str:
    """Return the digest of where the kernel stands."""
    span = record.kernel.span
    return digest_place(record.provenance.repo, span.path, span.offset)


def digest_place(repo: Repo, path: str, offset: int) -> str:
    """Return the digest of a place in a file of a commit."""
    words = (repo.source, repo.owner, repo.name, repo.commit, path, str(offset))
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def build_row_schema() -> dict[str, Any]:
    """Return the JSON Schema of a row, as it lies in `crawler/dataset/schemas/`."""
    return build_json_schema(Row, SCHEMA_NAME)
