"""Source ranges and what is declared there: parameters, launches, instantiations, diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Layer(StrEnum):
    """What found a kernel, most trusted first."""

    AST = "ast"
    SYNTACTIC = "syntactic"
    STRING = "string"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of a file; lines from 1, offsets in bytes from 0, ends exclusive for offsets."""

    path: str
    """Relative to the checkout's root."""
    line: int
    """The first one, from 1."""
    end_line: int
    """The last one, from 1."""
    offset: int
    """Of the first byte, from 0."""
    end_offset: int
    """Behind the last byte."""

    def overlaps(self, other: Span) -> bool:
        """Return whether a byte of the file is in both."""
        return (
            self.path == other.path
            and self.offset < other.end_offset
            and other.offset < self.end_offset
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a part of a kernel unit stands in its project; lines from 1."""

    line: int
    """Of the unit, where the part begins."""
    path: str
    """Relative to the checkout's root."""
    first_line: int
    """Of the file, from 1."""
    last_line: int
    """Of the file, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A kernel's parameter."""

    name: str
    """Empty for one without a name."""
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
    """Empty for one without a name."""
    kind: str
    """`type`, `value` or `template`."""
    type: str = ""
    """Type of a value parameter, as written."""
    default: str = ""
    """As written; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch site of a kernel; all four configuration arguments as written."""

    span: Span
    """Where it stands."""
    kernel_name: str
    """As written before `<<<`, without template arguments."""
    grid: str
    """Blocks, as written."""
    block: str
    """Threads of a block, as written."""
    shared_bytes: str = "0"
    """Bytes of dynamic shared memory of a block, as written."""
    stream: str = "0"
    """As written."""
    template_arguments: tuple[tuple[str, ...], ...] = ()
    """One tuple of resolved arguments for each specialisation launched here (several inside
    dispatch macros).
    """
    argument_map: tuple[tuple[str, str], ...] = ()
    """(parameter, argument as written), in the parameters' order."""
    enclosing: str = ""
    """Qualified name of the function that launches."""
    setup: str = ""
    """The statements of the functions round it that grid, block, shared bytes, stream and
    arguments depend on, in order, each whole and as written.
    """
    conditions: tuple[str, ...] = ()
    """Under which it is reached, the outermost first: expressions that hold, the heads of loops,
    and calls, such as of a dispatch macro, that it is an argument of, with `…` in its place.
    """
    inputs: tuple[Parameter, ...] = ()
    """What `setup` and the launch read and nothing in `setup` declares: parameters of the
    function, members of its class, variables of loops, parameters of templates. The type of a
    type is `typename`; that of a value known when compiling begins with `constexpr`.
    """
    definitions: str = ""
    """The constants, macros, types and functions of the project that all of these name,
    transitively, in the order in which the compiler reads them; a function that launches kernels
    is declared only.
    """
    found_by: Layer = Layer.AST
    """`ast`, `syntactic` or `string`."""
    callee: str = ""
    """What stands in the kernel's place, as written: `scale<float>`, `spec.kernel`."""
    body: Span | None = None
    """For a launch that a macro makes: where it stands in the macro's definition; `span` is
    that of the use.
    """
    reason: str = ""
    """Why no kernel is joined to it: a stable slug with a detail; empty for a launch of a known
    kernel.
    """


class InstantiationOrigin(StrEnum):
    """Why a template is instantiated with these arguments, strongest evidence first."""

    LAUNCH = "launch"
    EXPLICIT = "explicit"
    DISPATCH = "dispatch"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instantiation:
    """Template arguments that a project really uses; none for a plain kernel."""

    arguments: tuple[str, ...]
    """As they are spelled in a unit: `float`, `c10::Half`, `256`."""
    label: str
    """Short, safe for file names, unique within the kernel: `float`, `half`, `float_256`; empty
    for a plain kernel.
    """
    symbol: str = ""
    """Mangled name in the unit's object, where known."""
    origin: InstantiationOrigin = InstantiationOrigin.LAUNCH
    """Why it is among them: `launch`, `explicit`, `dispatch` or `default`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalVariable:
    """A variable on the device that outlives a launch: part of what a kernel reads and writes."""

    name: str
    """Qualified."""
    type: str
    """As the compiler spells it: `float[16]`."""
    kind: str
    """`constant`, `device`, `managed`, `texture` or `surface`."""
    span: Span
    """Where it is declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A compiler's or parser's message."""

    severity: str
    """`fatal`, `error`, `warning` or `note`."""
    message: str
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReplacement:
    """What stands in place of what is from `start` to `end`; between two where these are the
    same.
    """

    start: int
    end: int
    text: str
