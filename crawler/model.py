"""The values that stages hand to each other: frozen, and serialisable by `crawler.codec`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Dialect(StrEnum):
    """The language extension that a kernel is written in."""

    CUDA = "cuda"
    HIP = "hip"


class Layer(StrEnum):
    """What found a kernel, most trusted first."""

    AST = "ast"
    SYNTACTIC = "syntactic"
    STRING = "string"


class FlagsOrigin(StrEnum):
    """Where a compile command came from, most trusted first."""

    EXPORTED = "exported"
    RECORDED = "recorded"
    BORROWED = "borrowed"
    SYNTHESISED = "synthesised"


class InstantiationOrigin(StrEnum):
    """Why a template is instantiated with these arguments, strongest evidence first."""

    LAUNCH = "launch"
    EXPLICIT = "explicit"
    DISPATCH = "dispatch"
    DEFAULT = "default"


class Status(StrEnum):
    """The status of a verdict; `consistent` is agreement without an independent oracle."""

    PASS = "pass"  # noqa: S105
    CONSISTENT = "consistent"
    FAIL = "fail"
    SKIPPED = "skipped"
    UNSUPPORTED = "unsupported"


class LicenceClass(StrEnum):
    """What a licence lets a user of the dataset do."""

    PERMISSIVE = "permissive"
    COPYLEFT = "copyleft"
    RESTRICTED = "restricted"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """An SPDX expression, its class, and what it was concluded from."""

    spdx: str = "NOASSERTION"
    """SPDX licence expression, or `NOASSERTION`."""
    kind: LicenceClass = LicenceClass.NONE
    evidence: str = ""
    """For a person: `PKG-INFO: License-Expression`, `LICENSE: text`, `header of src/a.cu`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repo:
    """A repository or a release archive, at one pinned version."""

    source: str
    """Name of the source plugin: `pypi`, `git`, `local`."""
    owner: str
    """Empty where the source has no owners."""
    name: str
    """`mmcv`; for an sdist, the project's name with underscores."""
    url: str
    """Where it is fetched from, without credentials."""
    ref: str
    """What was asked for: a version, branch, tag; empty for the default."""
    commit: str
    """The pinned content: a git commit id, or `sha256:…` of an archive or a folder's listing."""
    licence: Licence = Licence()
    pushed_at: str = ""
    """ISO 8601, UTC; empty where unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The files of a repository on this machine's disk."""

    repo: Repo
    root: Path
    submodules: tuple[str, ...] = ()
    """`path@commit` of each submodule; none of them is fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileCommand:
    """How one file is compiled. Paths under the checkout are relative to its root."""

    directory: str
    """Working folder, relative to the checkout's root (`.` is the root)."""
    file: str
    """The source, relative to the checkout's root (not to `directory`)."""
    arguments: tuple[str, ...]
    """Flags only, understood by clang: no compiler, no source, no `-o`, no `-c`.
    Include paths below the checkout are relative to `directory`."""
    dialect: Dialect | None
    """`None` for a host-only C or C++ source."""
    origin: FlagsOrigin
    output: str = ""
    borrowed_from: str = ""
    """For a header: the translation unit whose command this is, relative to the root."""
    offload_archs: tuple[str, ...] = ()
    """The archs that the project compiles this file for, as its command names them: `sm_80`, `gfx90a`."""
    strategy: str = ""
    """The build system that told it; for a header, that told the unit's."""

    @property
    def standard(self) -> str:
        """The language standard that the command asks for (`c++17`, `gnu++20`), empty where it asks for none."""
        return next((word[5:] for word in reversed(self.arguments) if word.startswith("-std=")), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyReport:
    """What one build system gave, or why it gave nothing."""

    strategy: str
    entries: int
    code: str = ""
    """Empty when it worked, else a stable slug: `no-build-system`, `configure-failed`, …"""
    message: str = ""
    log: str = ""
    """End of the tool's output, at most 64 KiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRequirement:
    """A version that a file of a project asks for."""

    name: str
    """`python`, `torch`, `numpy`, `setuptools`, `cuda` or `rocm`."""
    asked: str
    """A specifier as Python packages write them: `>=2.0,<2.6`."""
    evidence: str
    """For a person: `pyproject.toml: dependencies`, `Dockerfile: FROM rocm/pytorch:…`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionConflict:
    """Versions that do not go together, and what would."""

    name: str
    message: str
    remedy: str
    resolved: bool = False
    """Whether the stand-ins answer so that the build is asked as if it were mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectEnvironment:
    """What a project's metadata asks for, and what clashes on any machine."""

    requirements: tuple[VersionRequirement, ...] = ()
    conflicts: tuple[VersionConflict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileDatabase:
    """The compile commands of a checkout, every relevant file covered."""

    commands: tuple[CompileCommand, ...]
    """One a file, sorted by it."""
    strategies: tuple[StrategyReport, ...]
    relevant: int = 0
    """Files with device code or launches, vendored ones aside."""
    covered: int = 0
    """How many of `relevant` have an entry that was exported, recorded or borrowed from such."""
    groups: tuple[tuple[int, ...], ...] = ()
    """Positions in `entries` of what `extract` must parse, in batches of at most 32."""
    alternatives: tuple[CompileCommand, ...] = ()
    """Other configurations of files in `commands`: what else a build compiles them with, the fullest first."""
    environment: ProjectEnvironment = ProjectEnvironment()

    @property
    def entries(self) -> tuple[CompileCommand, ...]:
        """Every command: one a file, then the other configurations."""
        return (*self.commands, *self.alternatives)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of a file; lines from 1, offsets in bytes from 0, ends exclusive for offsets."""

    path: str
    """Relative to the checkout's root."""
    line: int
    end_line: int
    offset: int
    end_offset: int

    def overlaps(self, other: Span) -> bool:
        """Tell whether a byte of the file is in both."""
        return self.path == other.path and self.offset < other.end_offset and other.offset < self.end_offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A kernel's parameter."""

    name: str
    type: str
    """As written."""
    canonical_type: str = ""
    """As the compiler resolved it; empty from the syntactic layer."""
    qualifiers: tuple[str, ...] = ()
    """`const` (of the pointee), `restrict`, `pointer`, `reference`, `grid_constant`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateParameter:
    """A template parameter of a kernel."""

    name: str
    kind: str
    """`type`, `value` or `template`."""
    type: str = ""
    """Type of a value parameter, as written."""
    default: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch site of a kernel; all four configuration arguments as written."""

    span: Span
    kernel_name: str
    """As written before `<<<`, without template arguments."""
    grid: str
    block: str
    shared_bytes: str = "0"
    stream: str = "0"
    template_arguments: tuple[tuple[str, ...], ...] = ()
    """One tuple of resolved arguments for each specialisation launched here (several inside dispatch macros)."""
    argument_map: tuple[tuple[str, str], ...] = ()
    """(parameter, argument as written), in the parameters' order."""
    enclosing: str = ""
    """Qualified name of the function that launches."""
    setup: str = ""
    """The statements of that function which compute grid, block and shared bytes, as written."""
    found_by: Layer = Layer.AST
    callee: str = ""
    """What stands in the kernel's place, as written: `scale<float>`, `spec.kernel`."""
    body: Span | None = None
    """For a launch that a macro makes: where it stands in the macro's definition; `span` is that of the use."""
    reason: str = ""
    """Why no kernel is joined to it: a stable slug with a detail; empty for a launch of a known kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instantiation:
    """A set of template arguments that a project really uses; empty arguments for a plain kernel."""

    arguments: tuple[str, ...]
    """As they are spelled in a unit: `float`, `c10::Half`, `256`."""
    label: str
    """Short, safe for file names, unique within the kernel: `float`, `half`, `float_256`; empty for a plain kernel."""
    symbol: str = ""
    """Mangled name in the unit's object, where known."""
    origin: InstantiationOrigin = InstantiationOrigin.LAUNCH


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """What a kernel needs, as ordered pieces of text; `link` turns one into a unit."""

    includes: tuple[str, ...]
    """Standard and library headers only, with their brackets: `<cub/cub.cuh>`."""
    fragments: tuple[str, ...]
    """Complete declarations in order, each inside its own namespaces; the kernel is the last."""
    dependencies: tuple[str, ...] = ()
    """Qualified names of what was taken along, macros with a leading `#`."""
    files: tuple[str, ...] = ()
    """The project's files that a fragment came from."""
    owner_parameters: int = 0
    """How many of the kernel's template parameters are those of the class that it is a member of."""
    complete: bool = True
    """False when a name that the kernel needs was seen but could not be taken along."""
    problems: tuple[str, ...] = ()
    """Stable slugs with a detail: `unresolved:name`, `parse-error:message`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSighting:
    """A kernel definition as one translation unit showed it."""

    span: Span
    name: str
    qualified_name: str
    dialect: Dialect
    found_by: Layer
    reason: str = ""
    """Why this layer: empty for the AST, else why the AST did not show it."""
    mangled: str = ""
    source: str = ""
    """Verbatim text of the definition, template head included."""
    template_head: str = ""
    parameters: tuple[Parameter, ...] = ()
    template_parameters: tuple[TemplateParameter, ...] = ()
    attributes: tuple[str, ...] = ()
    """As written: `__launch_bounds__(256, 2)`, `extern "C"`, `static`."""
    instantiations: tuple[Instantiation, ...] = ()
    closure: Closure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchSighting:
    """A launch as one translation unit showed it, and the definition it resolves to, where it does."""

    launch: Launch
    target_path: str = ""
    """Path of the kernel's definition; empty when this unit does not see it (then joined by name)."""
    target_offset: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A name under which Python code reaches C++ code."""

    name: str
    function: str
    span: Span
    kind: str
    """`pybind11` or `torch_library`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A compiler's or parser's message."""

    severity: str
    """`fatal`, `error`, `warning` or `note`."""
    message: str
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFacts:
    """What one translation unit showed; the value that `extract` stores and `link` merges."""

    command: CompileCommand
    kernels: tuple[KernelSighting, ...] = ()
    launches: tuple[LaunchSighting, ...] = ()
    bindings: tuple[Binding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    files: tuple[str, ...] = ()
    """The project's files that this unit read, the source first."""
    failure: str = ""
    """Stable slug when the AST could not be had: `parse-timeout`, `parse-crashed`, `parse-memory`, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change that a port made."""

    rule: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PortReport:
    """What a port changed, and what stands in the way of one."""

    changes: tuple[Change, ...] = ()
    blockers: tuple[tuple[str, int], ...] = ()
    """(stable class such as `ptx`, `mma`, `texture_reference`, line): the unit should not be ported."""
    warnings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelUnit:
    """The smallest self-contained source of a kernel: it compiles alone against its prelude."""

    source: str
    dialect: Dialect
    kernel_name: str
    """Qualified name of the kernel in this source."""
    instantiations: tuple[Instantiation, ...]
    prelude: str
    """Digest of the header tree that the unit was made for."""
    digest: str
    """sha256 of `source`, in hexadecimal; the unit's address."""
    token_digest: str
    """sha256 over the normalised tokens; for clustering, never an address."""
    dependencies: tuple[str, ...] = ()
    standard: str = "c++17"
    """C++ standard that it is compiled with; one that is not the usual stands in the source's first line too."""
    ported_from: str = ""
    """Digest of the CUDA unit that this one was ported from."""
    port_report: PortReport | None = None


class OperatorRole(StrEnum):
    """What a piece of code is to an operator, from Python inwards."""

    PYTHON = "python"
    BINDING = "binding"
    DISPATCHER = "dispatcher"
    LAUNCHER = "launcher"
    KERNEL = "kernel"
    CPU = "cpu"
    TWIN = "twin"
    """A kernel of the operator's gradient, or of the operator that this one is the gradient of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorPart:
    """A piece of code that belongs to an operator."""

    role: OperatorRole
    name: str
    span: Span
    evidence: str = ""
    """How it was reached: `calls`, `registered: CUDA`, `launch`, `bound: pybind11`, `twin: …`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """What Python code calls by one name, and the way from there to a kernel."""

    name: str
    """As it is bound: `roi_align_forward`."""
    twin: str = ""
    """Name of the operator that is its gradient, or whose gradient it is."""
    parts: tuple[OperatorPart, ...] = ()


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
    borrowed_from: str = ""
    unit: KernelUnit | None = None
    unit_problem: str = ""
    """Why there is no unit: a stable slug with a detail."""
    tags: tuple[str, ...] = ()
    """Measures and features: `trivial`, `large`, `template`, `uses:atomics`, …"""
    licence: Licence = Licence()
    operators: tuple[Operator, ...] = ()
    """The operators that reach it, the nearest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of one check of one unit."""

    status: Status
    code: str = ""
    """Stable slug for every status but `pass`: `compile-error`, `no-compiler`, `timeout`, …"""
    message: str = ""
    """The first line that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """The compiler that made a build, exactly."""

    compiler: str
    """`clang 19.1.7`, `nvcc 13.0.88`, `hipcc 6.2`."""
    device_library: str = ""
    """`rocm-device-libs 5.2.3`, `libdevice from CUDA 12.9`; empty where none was linked."""
    headers: str = ""
    """`kernelset CUDA shim`, `HIP 5.2.3`."""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What an instantiation uses on a target, as its compiler reports it; -1 where unknown."""

    symbol: str
    registers: int = -1
    """VGPRs on AMD, registers a thread on NVIDIA."""
    scalar_registers: int = -1
    accumulation_registers: int = -1
    spills: int = -1
    scratch_bytes: int = -1
    shared_bytes: int = -1
    """Static shared memory (LDS) a block."""
    occupancy: int = -1
    """Waves a SIMD on AMD."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One object for a unit on one target, holding every instantiation."""

    unit: str
    """Digest of the unit that was compiled."""
    target: str
    """`gfx90a`, `sm_80`, …"""
    toolchain: Toolchain
    pass_call: Verdict
    form: str = ""
    """`code` or `ptx`; empty when there is no object."""
    loaded: bool | None = None
    """Whether a device or a driver loaded it; `None` when nobody tried."""
    object_digest: str = ""
    symbols: tuple[str, ...] = ()
    resources: tuple[Resources, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0


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
    cluster: str = ""
    """Digest that exact and token-wise duplicates share; empty without a unit."""
    reasons: tuple[str, ...] = ()
    """Stable codes: why there is no unit, why a build failed, what blocks a port."""
