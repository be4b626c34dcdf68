"""Render a unit as a PyTorch extension with a pytest module for its cases."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pprint import pformat
from typing import Any, Final

from crawler.model import Case, CaseArgument, CaseBuffer, Dialect, KernelUnit, Suite
from crawler.validate.emulator.source.program_source import (
    list_kernel_addresses,
    mark_dynamic_shared_memory,
)
from crawler.validate.harness.case_text import written_range
from crawler.validate.harness.embedded_bytes import ByteStore
from crawler.validate.harness.prelude_text import (
    DYNAMIC_SHARED_MACROS,
    render_extension_prelude,
    split_prelude,
)
from crawler.validate.harness.program import to_identifier
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.parameter_types import ParameterType, Signature, TypeKind
from crawler.validate.values.scalar_types import ScalarType

_PARAMETER_TYPES: Final = {
    TypeKind.BOOL: "bool",
    TypeKind.SIGNED: "int64_t",
    TypeKind.UNSIGNED: "int64_t",
    TypeKind.ENUMERATION: "int64_t",
    TypeKind.FLOATING: "double",
}
TORCH_TYPES: Final = {
    ScalarType.BOOL: "uint8",
    **{
        ScalarType(f"{sign[:1]}{bits}"): f"{sign}{bits}"
        for sign in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    ScalarType.HALF: "float16",
    ScalarType.BFLOAT16: "bfloat16",
    ScalarType.FLOAT: "float32",
    ScalarType.DOUBLE: "float64",
    ScalarType.E4M3: "float8_e4m3fn",
    ScalarType.E5M2: "float8_e5m2",
    ScalarType.E4M3FNUZ: "float8_e4m3fnuz",
    ScalarType.E5M2FNUZ: "float8_e5m2fnuz",
}
"""What PyTorch calls the type of an element."""
_INTEGER_CODES: Final = {1: "b", 2: "h", 4: "i", 8: "q"}
_STRUCT_CODES: Final = (
    {
        (TypeKind.BOOL, 1): "?",
        (TypeKind.FLOATING, 4): "f",
        (TypeKind.FLOATING, 8): "d",
    }
    | {
        (kind, size): code
        for kind in (TypeKind.SIGNED, TypeKind.ENUMERATION)
        for size, code in _INTEGER_CODES.items()
    }
    | {(TypeKind.UNSIGNED, size): code.upper() for size, code in _INTEGER_CODES.items()}
)
"""Kind and size of a parameter to the letter that `struct` reads it by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchExtension:
    """The files of an extension by their names, or why a tensor and a number cannot say what it
    is given.
    """

    files: Mapping[str, bytes]
    problem: str = ""


def render_extension(
    unit: KernelUnit,
    signatures: Sequence[Signature],
    suite: Suite,
    blobs: Blobs,
    *,
    name: str,
) -> TorchExtension:
    """Return `unit` as an extension of PyTorch, with the cases of `suite` that are not hidden."""
    cases = [case for case in suite.cases if not case.hidden]
    entry = cases[0].entry if cases else 0
    signature = signatures[entry] if entry < len(signatures) else ()
    problem = _find_problem(cases, entry, signature)
    if problem:
        return TorchExtension(files={}, problem=problem)

    file = f"{name}{'.hip' if unit.dialect is Dialect.HIP else '.cu'}"
    store = ByteStore()
    described_cases = [_describe_case(case, signature, store, blobs) for case in cases]
    kernel = list_kernel_addresses(unit)[entry].removeprefix("&")
    parameters = [to_identifier(argument.name) for argument in cases[0].arguments]
    source = _render_source(unit, kernel, parameters, signature)
    replacements = {
        "NAME": name,
        "FILE": file,
        "STANDARD": unit.standard,
        "CASES": pformat(described_cases, width=110, sort_dicts=False),
    }

    return TorchExtension(
        files={
            file: source.encode("utf-8", "surrogateescape"),
            f"test_{name}.py": _render_test_module(replacements).encode(),
            f"{name}.bin": store.content,
        }
    )


def _find_problem(cases: Sequence[Case], entry: int, signature: Signature) -> str:
    """Return why a unit cannot be called with tensors and numbers, empty where it can."""
    if not cases or not signature:
        return "no-cases: there is nothing to call it with"
    if any(case.entry != entry for case in cases):
        return "several-instantiations: one function has one type"

    for parameter in signature:
        is_number = (parameter.kind, parameter.size) in _STRUCT_CODES
        if parameter.kind is not TypeKind.POINTER and not is_number:
            return f"by-value: {parameter.type_name} is neither a tensor nor a number"

    for case in cases:
        if any(buffer.pointers for buffer in case.buffers):
            return "pointers: a buffer holds addresses of others"

    return ""


def _render_source(
    unit: KernelUnit, kernel: str, parameters: Sequence[str], signature: Signature
) -> str:
    header, body = split_prelude(unit.source)
    prelude = render_extension_prelude(header, unit.dialect)
    api = "hip" if unit.dialect is Dialect.HIP else "cuda"
    declarations = []
    arguments = []

    for name, parameter in zip(parameters, signature, strict=True):
        if parameter.kind is TypeKind.POINTER:
            declarations.append(f"torch::Tensor {name}_")
            arguments.append(f"({parameter.type_name}){name}_.data_ptr()")
        else:
            declarations.append(f"{_PARAMETER_TYPES[parameter.kind]} {name}_")
            arguments.append(f"({parameter.type_name}){name}_")

    return (
        f"// {unit.kernel_name} as an extension of PyTorch\n"
        "#include <torch/extension.h>\n\n#include <vector>\n\n"
        f"{prelude}{DYNAMIC_SHARED_MACROS}\n{mark_dynamic_shared_memory(body)}\n"
        "// the tensors are contiguous and on the device; "
        "grid and block have three numbers each\n"
        f"void kernel_function({', '.join(declarations)},\n"
        "                     std::vector<int64_t> grid, std::vector<int64_t> block, "
        "int64_t shared_bytes) {\n"
        "  const dim3 blocks(grid.at(0), grid.at(1), grid.at(2)), "
        "threads(block.at(0), block.at(1), block.at(2));\n"
        f"  {kernel}<<<blocks, threads, shared_bytes>>>(\n      {', '.join(arguments)});\n"
        f"  const auto error = {api}GetLastError();\n"
        f"  TORCH_CHECK(error == {api}Success, {api}GetErrorString(error));\n}}\n\n"
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
        '  m.def("kernel_function", &kernel_function, '
        f'"{to_identifier(unit.kernel_name)}");\n}}\n'
    )


def _describe_case(
    case: Case, signature: Signature, store: ByteStore, blobs: Blobs
) -> dict[str, Any]:
    """Return a case as the test module has it: builtin types alone."""
    return {
        "name": case.name,
        "grid": list(case.grid),
        "block": list(case.block),
        "shared_bytes": case.shared_bytes,
        "buffers": [_describe_buffer(buffer, store, blobs) for buffer in case.buffers],
        "arguments": [
            _describe_argument(argument, parameter)
            for argument, parameter in zip(case.arguments, signature, strict=True)
        ],
    }


def _describe_buffer(
    buffer: CaseBuffer, store: ByteStore, blobs: Blobs
) -> tuple[Any, ...]:
    scalar = parse_element_type(buffer.element, buffer.element_size).scalar

    def store_content(digest: str) -> tuple[int, int] | None:
        """Return offset and size of a content, `None` for an empty one."""
        raw = blobs.get(digest) if digest else b""
        return (store.add(raw), len(raw)) if raw else None

    return (
        buffer.name,
        buffer.size,
        store_content(buffer.content),
        store_content(buffer.gold),
        written_range(buffer),
        TORCH_TYPES[scalar],
        buffer.absolute,
        buffer.relative,
    )


def _describe_argument(argument: CaseArgument, parameter: ParameterType) -> Any:
    """Return buffer and offset of a pointer, or a number."""
    if parameter.kind is not TypeKind.POINTER:
        return _read_number(bytes.fromhex(argument.content), parameter)

    pointer = argument.pointers[0] if argument.pointers else None
    if pointer is None or pointer.buffer is None:
        return 0, 0

    return pointer.buffer, pointer.offset


def _read_number(raw: bytes, parameter: ParameterType) -> Any:
    code = _STRUCT_CODES[parameter.kind, parameter.size]
    (number,) = struct.unpack(f"<{code}", raw[: parameter.size])

    return number


def _render_test_module(replacements: Mapping[str, str]) -> str:
    file = resources.files(__package__).joinpath("text", "extension.py.txt")
    text = file.read_text("utf-8")

    for placeholder, value in replacements.items():
        text = text.replace(f"@{placeholder}@", value)

    return text
