"""Render a unit as a PyTorch extension that computes its own launch, with a test of it."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pprint import pformat
from typing import Any, Final

from crawler.dataset.programs.harness_programs import (
    ContentReader,
    JudgedUnit,
    list_judged_units,
)
from crawler.dataset.programs.launch_formulas import LaunchFormula, find_launch_formula
from crawler.dataset.programs.launch_sizes import find_sized_axes, put_bounds_first
from crawler.dataset.programs.single_file_test import select_small_cases
from crawler.dataset.prompts.describe_task import map_template_arguments
from crawler.dataset.prompts.example_case import read_number, resolve_type
from crawler.model import Case, CaseBuffer, Dialect, Kernel, KernelRecord, KernelUnit
from crawler.validate.emulator.source.program_source import list_kernel_addresses
from crawler.validate.harness.case_text import written_range
from crawler.validate.harness.prelude_text import (
    render_extension_prelude,
    split_prelude,
)
from crawler.validate.harness.program import to_identifier
from crawler.validate.harness.torch_extension import TORCH_TYPES
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type

_NUMBER_TYPES: Final = {bool: "bool", int: "int64_t", float: "double"}
_POINTER_BYTES: Final = 8
_MAX_INTEGER: Final = (1 << 63) - 1
"""What PyTorch takes for a number; a `size_t` above it has no form."""


_Call = tuple[bool | int | float | None, ...]
"""The numbers that a launch passes, `None` in place of a tensor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchModule:
    """An extension module of one kernel, as files that lie in one folder."""

    name: str
    """Of the module."""
    arguments: tuple[str, ...]
    """Template arguments of the one instantiation that it launches."""
    formula: LaunchFormula
    files: Mapping[str, str]
    """`NAME.cu`, `setup.py` and `test_NAME.py`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameter:
    """A parameter of the function that Python calls."""

    name: str
    is_tensor: bool
    type_name: str
    """`torch::Tensor`, or that of a number."""


def build_torch_module(
    record: KernelRecord, read_content: ContentReader | None, name: str
) -> TorchModule | None:
    """Return the CUDA unit of a kernel as the module `name`; `None` where it came through no
    case, takes what is neither a tensor nor a number, or its cases do not say how a launch
    follows from what it takes.
    """
    if read_content is None:
        return None

    for subject in list_judged_units(record, read_content, name):
        if subject.unit.dialect is Dialect.CUDA:
            return _build_module(record.kernel, subject, name)

    return None


def _build_module(kernel: Kernel, subject: JudgedUnit, name: str) -> TorchModule | None:
    suite = select_small_cases(subject.suite)
    if not suite.cases or any(map(_has_nested_pointers, suite.cases)):
        return None

    example = suite.cases[0]
    calls = [_read_call(kernel, subject.unit, case) for case in suite.cases]
    read_calls = [call for call in calls if call is not None]
    if len(read_calls) < len(calls):
        return None

    parameters = list(_iter_parameters(example, read_calls[0]))
    variables = [
        put_bounds_first(kernel, dict(_iter_variables(case, call, parameters)))
        for case, call in zip(suite.cases, read_calls, strict=True)
    ]
    sized_axes = find_sized_axes(kernel)
    formula = find_launch_formula(suite.cases, variables, sized_axes)
    if formula is None:
        return None

    described = [
        _describe_case(suite.cases[position], read_calls[position], subject.blobs)
        for position in formula.positions
    ]
    source = _render_source(subject.unit, example.entry, parameters, formula)
    replacements = {
        "NAME": name,
        "STANDARD": subject.unit.standard,
        "CASES": pformat(described, width=100, sort_dicts=False),
    }
    return TorchModule(
        name=name,
        arguments=_list_arguments(subject.unit, example.entry),
        formula=formula,
        files={
            f"{name}.cu": source,
            "setup.py": _fill_template("setup.py.txt", replacements),
            f"test_{name}.py": _fill_template("test_module.py.txt", replacements),
        },
    )


def _list_arguments(unit: KernelUnit, entry: int) -> tuple[str, ...]:
    instantiations = unit.instantiations
    return instantiations[entry].arguments if instantiations else ()


def _has_nested_pointers(case: Case) -> bool:
    return any(buffer.pointers for buffer in case.buffers)


def _read_call(kernel: Kernel, unit: KernelUnit, case: Case) -> _Call | None:
    """Return what a case passes; `None` where something is neither a number nor a tensor."""
    arguments = map_template_arguments(kernel, unit, case)
    if len(kernel.parameters) != len(case.arguments):
        return None

    numbers: list[bool | int | float | None] = []
    for parameter, argument in zip(kernel.parameters, case.arguments, strict=True):
        if argument.pointers:
            (pointer, *further_pointers) = argument.pointers
            size = len(bytes.fromhex(argument.content))
            if further_pointers or pointer.buffer is None or size > _POINTER_BYTES:
                return None
            numbers.append(None)
            continue

        value_type = resolve_type(parameter.canonical_type or parameter.type, arguments)
        number = read_number(bytes.fromhex(argument.content), value_type)
        if number is None or number > _MAX_INTEGER:
            return None
        numbers.append(number)

    return tuple(numbers)


def _iter_parameters(case: Case, call: _Call) -> Iterator[_Parameter]:
    for position, (argument, number) in enumerate(
        zip(case.arguments, call, strict=True)
    ):
        # a parameter may have no name
        name = to_identifier(argument.name or f"argument{position}") + "_"
        if number is None:
            yield _Parameter(name=name, is_tensor=True, type_name="torch::Tensor")
        else:
            kind = _NUMBER_TYPES[type(number)]
            yield _Parameter(name=name, is_tensor=False, type_name=kind)


def _iter_variables(
    case: Case,
    call: _Call,
    parameters: list[_Parameter],
) -> Iterator[tuple[str, int]]:
    """Yield the integers that a launch may follow from: numbers first, then sizes of tensors."""
    for parameter, number in zip(parameters, call, strict=True):
        if type(number) is int:
            yield parameter.name, number

    for parameter, argument in zip(parameters, case.arguments, strict=True):
        if parameter.is_tensor:
            pointer = argument.pointers[0]
            buffer = case.buffers[pointer.buffer or 0]
            remaining_bytes = max(0, buffer.size - pointer.offset)
            scalar_size = _scalar_size(buffer)
            yield f"{parameter.name}.numel()", remaining_bytes // scalar_size


def _scalar_size(buffer: CaseBuffer) -> int:
    return parse_element_type(buffer.element, buffer.element_size).scalar.size


def _render_source(
    unit: KernelUnit, entry: int, parameters: list[_Parameter], formula: LaunchFormula
) -> str:
    header, body = split_prelude(unit.source)
    kernel = list_kernel_addresses(unit)[entry].removeprefix("&")
    declarations = ", ".join(
        f"{parameter.type_name} {parameter.name}" for parameter in parameters
    )
    arguments = ", ".join(
        f"launcher::Elements{{{parameter.name}}}"
        if parameter.is_tensor
        else parameter.name
        for parameter in parameters
    )
    grid = ", ".join(formula.grid)
    block = ", ".join(formula.block)
    return (
        f"// {unit.kernel_name} as an extension of PyTorch\n"
        "#include <torch/extension.h>\n\n"
        f"{render_extension_prelude(header, unit.dialect)}\n{body.strip()}\n\n"
        f"{_read_template('launcher.h.txt')}\n"
        "// the tensors are contiguous and on the device\n"
        f"void kernel_function({declarations}) {{\n"
        f"  const dim3 threads({block});\n"
        f"  const dim3 blocks({grid});\n"
        "  if (launcher::is_empty(blocks) || launcher::is_empty(threads)) return;\n"
        f"  const size_t shared_bytes = {formula.shared_bytes};\n"
        f"  {kernel}<<<blocks, threads, shared_bytes>>>({arguments});\n"
        "  const auto error = cudaGetLastError();\n"
        "  TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));\n}\n\n"
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
        '  m.def("kernel_function", &kernel_function, '
        f'"{to_identifier(unit.kernel_name)}");\n}}\n'
    )


def _describe_case(case: Case, call: _Call, blobs: Blobs) -> dict[str, Any]:
    """Return a case as the test module has it: builtin types alone."""
    arguments: list[object] = []
    for argument, number in zip(case.arguments, call, strict=True):
        pointer = argument.pointers[0] if number is None else None
        arguments.append((pointer.buffer, pointer.offset) if pointer else number)

    return {
        "name": case.name,
        "buffers": [_describe_buffer(buffer, blobs) for buffer in case.buffers],
        "arguments": arguments,
    }


def _describe_buffer(buffer: CaseBuffer, blobs: Blobs) -> tuple[object, ...]:
    scalar = parse_element_type(buffer.element, buffer.element_size).scalar

    def encode_content(digest: str) -> str | None:
        return base64.b64encode(blobs.get(digest)).decode() if digest else None

    return (
        buffer.name,
        buffer.size,
        encode_content(buffer.content),
        encode_content(buffer.gold),
        written_range(buffer),
        TORCH_TYPES[scalar],
        buffer.absolute,
        buffer.relative,
    )


def _fill_template(file: str, replacements: Mapping[str, str]) -> str:
    text = _read_template(file)
    for placeholder, value in replacements.items():
        text = text.replace(f"@{placeholder}@", value)
    return text


def _read_template(file: str) -> str:
    return resources.files(__package__).joinpath("templates", file).read_text("utf-8")
