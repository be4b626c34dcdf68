"""Suites of kernels that are written in Python, a loop for each: no compiler is needed."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crawler.model import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    Instantiation,
    Kernel,
    Suite,
)
from crawler.validate.oracle_interface import OracleAgreement
from crawler.validate.oracles.known_operator import PLUGIN
from crawler.validate.values.blobs import Blobs
from tests.plain import plain_kernel, plain_unit

FORMATS = {
    "float": "f",
    "double": "d",
    "int": "i",
    "long": "q",
    "unsigned char": "B",
    "unsigned int": "I",
}
Values = dict[str, Any]


@dataclass(frozen=True)
class PythonKernel:
    """A kernel whose body is a function of Python; it changes the lists that it is given."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    body: Callable[..., None]
    cases: tuple[Values, ...]
    """A list is a buffer; one of `None` is output that nothing stands in before."""

    def ask(self, **facts: Any) -> OracleAgreement | None:
        kernel, suite, blobs = self.build(**facts)
        assert kernel.unit is not None
        return PLUGIN.find_agreement(kernel, kernel.unit, suite, blobs, lambda _: None)

    def build(
        self, kind: CaseKind = CaseKind.EXTRA, **facts: Any
    ) -> tuple[Kernel, Suite, Blobs]:
        blobs = Blobs()
        cases = tuple(
            self._build_case(f"extra-{number}", values, blobs, kind)
            for number, values in enumerate(self.cases)
        )
        instantiations: Sequence[Instantiation] = facts.pop("instantiations", ())
        unit = plain_unit(f"// {self.name}", *instantiations, kernel_name=self.name)
        parameters = tuple((name, kind) for name, kind in self.parameters)
        kernel = plain_kernel(unit, parameters, name=self.name, **facts)
        return kernel, Suite(unit=unit.digest, seed=1, cases=cases), blobs

    def _build_case(
        self, name: str, values: Values, blobs: Blobs, kind: CaseKind
    ) -> Case:
        after = {
            key: list(value) if isinstance(value, list) else value
            for key, value in values.items()
        }
        self.body(**after)
        arguments: list[CaseArgument] = []
        buffers: list[CaseBuffer] = []
        for parameter, type_name in self.parameters:
            element = type_name.replace("const ", "").replace("*", "").strip()
            value = values[parameter]
            if not isinstance(value, list):
                content = struct.pack(f"<{FORMATS[element]}", value).hex()
                arguments.append(CaseArgument(name=parameter, content=content))
                continue
            pointer = CasePointer(at=0, buffer=len(buffers))
            arguments.append(
                CaseArgument(name=parameter, content="00" * 8, pointers=(pointer,))
            )
            role = _choose_role(type_name, value)
            buffers.append(
                _build_buffer(parameter, element, role, value, after[parameter], blobs)
            )

        return Case(
            name=name,
            kind=kind,
            grid=(4, 1, 1),
            block=(32, 1, 1),
            arguments=tuple(arguments),
            buffers=tuple(buffers),
        )


def _choose_role(type_name: str, value: Sequence[object]) -> BufferRole:
    if type_name.startswith("const"):
        return BufferRole.IN
    return BufferRole.OUT if None in value else BufferRole.INOUT


def _build_buffer(
    name: str,
    element: str,
    role: BufferRole,
    before: Sequence[Any],
    after: Sequence[Any],
    blobs: Blobs,
) -> CaseBuffer:
    layout = FORMATS[element]
    size = struct.calcsize(layout)
    has_content = role is not BufferRole.OUT

    def pack(values: Sequence[Any]) -> bytes:
        return b"".join(
            b"\xff" * size if value is None else struct.pack(f"<{layout}", value)
            for value in values
        )

    return CaseBuffer(
        name=name,
        element=element,
        element_size=size,
        size=size * len(before),
        role=role,
        content=blobs.put(pack(before)) if has_content else "",
        gold=blobs.put(pack(after)) if role.is_written else "",
    )


def draw(
    sizes: Sequence[Mapping[str, int]], make: Callable[..., Values]
) -> tuple[Values, ...]:
    """Return a case for each choice of sizes, which are among its values."""
    drawn = []
    for number, size in enumerate(sizes):
        numbers = random.Random(number)
        drawn.append({**size, **make(numbers, **size)})
    return tuple(drawn)


def reals(numbers: random.Random, count: int, low: float = -2.0) -> list[float]:
    """Return numbers that a `float` holds, in [low, 2]."""
    return [numbers.randrange(int(low * 1024), 2049) / 1024 for _ in range(count)]


LENGTHS = [{"n": count} for count in (96, 100, 61, 1, 77)]
PLANES = [
    {"rows": rows, "cols": cols}
    for rows, cols in ((6, 8), (5, 9), (6, 6), (1, 1), (7, 3))
]


def is_known(kernel: PythonKernel, **facts: Any) -> bool:
    """Tell whether an operator of the table speaks for a kernel."""
    agreement = kernel.ask(**facts)
    return agreement is not None and agreement.is_conclusive
