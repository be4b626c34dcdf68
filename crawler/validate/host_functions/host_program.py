"""Build a program that calls a host function of a project in a kernel's place."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Dialect, Instantiation, KernelUnit, Status
from crawler.validate.emulator.program import Program, build_cpu_program
from crawler.validate.host_functions.matching import HostFunction
from crawler.validate.values.parameter_types import Signature

_KERNEL_NAME: Final = "kernelset_project_cpu"
_PRELUDES: Final = {
    Dialect.CUDA: "kernelset/torch.cuh",
    Dialect.HIP: "kernelset/torch.hip.h",
}
_STANDARD_HEADERS: Final = (
    "#include <algorithm>\n#include <cmath>\n#include <cstring>\n"
    "#include <numeric>\n#include <vector>\n"
)
_ASSERTION_MACROS: Final = (
    "AT_ASSERTM",
    "AT_ASSERT",
    "TORCH_CHECK",
    "TORCH_INTERNAL_ASSERT",
    "CHECK",
)
# What a launcher has ruled out its function need not ask again: a kernel does not.
_WITHOUT_ASSERTIONS: Final = "".join(
    f"#undef {name}\n#define {name}(...) static_cast<void>(0)\n"
    for name in _ASSERTION_MACROS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCall:
    """How a host function is called with a kernel's arguments."""

    definitions: str
    """The source that defines the function, with the types that it needs."""
    function: HostFunction
    argument_places: tuple[int, ...]
    """For each parameter of the function the number of the kernel's; those at the end that have a
    default may be left out.
    """


def build_host_program(
    unit: KernelUnit, call: HostCall, signature: Signature, entry: int
) -> Program | None:
    """Return a program whose kernel has the signature of `unit`'s instantiation `entry` and
    makes `call`; `None` where it does not compile.
    """
    for name in _function_names(unit, call.function, entry):
        source = _program_source(unit.dialect, name, call, signature)
        program = build_cpu_program(_make_unit(unit, source))
        if program.verdict.status is Status.PASS:
            return program

    return None


def _function_names(
    unit: KernelUnit, function: HostFunction, entry: int
) -> tuple[str, ...]:
    """Return the function's name with the instantiation's types, where it takes as many, and
    without.
    """
    if not unit.instantiations:
        return (function.name,)

    arguments = unit.instantiations[entry].arguments
    # Numbers are tile sizes and the like, which no host function has.
    types = [argument for argument in arguments if not argument[:1].isdigit()]
    if not types or len(types) != function.template_parameter_count:
        return (function.name,)

    return f"{function.name}<{', '.join(types)}>", function.name


def _program_source(
    dialect: Dialect, function_name: str, call: HostCall, signature: Signature
) -> str:
    parameters = ", ".join(
        f"{parameter.type_name} p{number}" for number, parameter in enumerate(signature)
    )
    arguments = ", ".join(f"p{place}" for place in call.argument_places)

    return (
        f"#include <{_PRELUDES[dialect]}>\n{_STANDARD_HEADERS}{_WITHOUT_ASSERTIONS}"
        f"{call.definitions}\n"
        f"__global__ void {_KERNEL_NAME}({parameters}) {{ {function_name}({arguments}); }}\n"
    )


def _make_unit(unit: KernelUnit, source: str) -> KernelUnit:
    return replace(
        unit,
        source=source,
        kernel_name=_KERNEL_NAME,
        instantiations=(Instantiation(arguments=(), label=""),),
        digest=hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest(),
    )
