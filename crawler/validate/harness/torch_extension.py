"""Render a unit as a PyTorch extension with a pytest module for its cases."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pprint import pformat
from typing import Any, Final

from crawler.model import Case, CaseArgument, CaseBuffer, Dialect, KernelUnit, Suite
from crawler.validate.emulator.source.program_source import (
    list_kernel_addresses,
    mark_dynamic_shared_memory,
)
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

_TYPES: Final = {
    TypeKind.BOOL: "bool",
    TypeKind.SIGNED: "int64_t",
    TypeKind.UNSIGNED: "int64_t",
    TypeKind.ENUMERATION: "int64_t",
    TypeKind.FLOATING: "double",
}
_KINDS: Final = {
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
_CODES: Final = {
    (TypeKind.BOOL, 1): "?",
    **{
        (TypeKind.SIGNED, size): code
        for size, code in ((1, "b"), (2, "h"), (4, "i"), (8, "q"))
    },
    **{
        (TypeKind.UNSIGNED, size): code
        for size, code in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))
    },
    **{
        (TypeKind.ENUMERATION, size): code
        for size, code in ((1, "b"), (2, "h"), (4, "i"), (8, "q"))
    },
    (TypeKind.FLOATING, 4): "f",
    (TypeKind.FLOATING, 8): "d",
}


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
    problem = _problem(cases, entry, signature)
    if problem:
        return TorchExtension(files={}, problem=problem)
    file = f"{name}{'.hip' if unit.dialect is Dialect.HIP else '.cu'}"
    store = ByteStore()
    told = [_told(case, signature, store, blobs) for case in cases]
    parameters = [to_identifier(argument.name) for argument in cases[0].arguments]
    source = _source(
        unit,
        list_kernel_addresses(unit)[entry].removeprefix("&"),
        parameters,
        signature,
    )
    replaced = {
        "NAME": name,
        "FILE": file,
        "STANDARD": unit.standard,
        "CASES": pformat(told, width=110, sort_dicts=False),
    }
    return TorchExtension(
        files={
            file: source.encode("utf-8", "surrogateescape"),
            f"test_{name}.py": _module(replaced).encode(),
            f"{name}.bin": store.content,
        }
    )


def _problem(cases: Sequence[Case], entry: int, signature: Signature) -> str:
    if not cases or not signature:
        return "no-cases: there is nothing to call it with"
    if any(case.entry != entry for case in cases):
        return "several-instantiations: one function has one type"
    for parameter in signature:
        if (
            parameter.kind is not TypeKind.POINTER
            and (parameter.kind, parameter.size) not in _CODES
        ):
            return f"by-value: {parameter.type_name} is neither a tensor nor a number"
    pointers = (buffer.pointers for case in cases for buffer in case.buffers)
    return "pointers: a buffer holds addresses of others" if any(pointers) else ""


def _source(
    unit: KernelUnit, kernel: str, parameters: Sequence[str], signature: Signature
) -> str:
    found, body = split_prelude(unit.source)
    hip = unit.dialect is Dialect.HIP
    taken, passed = _taken(parameters, signature), _passed(parameters, signature)
    word = "hip" if hip else "cuda"
    return (
        f"// {unit.kernel_name} as an extension of PyTorch\n#include <torch/extension.h>\n\n#include <vector>\n\n"
        f"{render_extension_prelude(found, unit.dialect)}{DYNAMIC_SHARED_MACROS}\n{mark_dynamic_shared_memory(body)}\n"
        f"// the tensors are contiguous and on the device; grid and block have three numbers each\n"
        f"void kernel_function({', '.join(taken)},\n"
        "                     std::vector<int64_t> grid, std::vector<int64_t> block, int64_t shared_bytes) {\n"
        "  const dim3 blocks(grid.at(0), grid.at(1), grid.at(2)), threads(block.at(0), block.at(1), block.at(2));\n"
        f"  {kernel}<<<blocks, threads, shared_bytes>>>(\n      {', '.join(passed)});\n"
        f"  const auto error = {word}GetLastError();\n"
        f"  TORCH_CHECK(error == {word}Success, {word}GetErrorString(error));\n}}\n\n"
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
        f'  m.def("kernel_function", &kernel_function, "{to_identifier(unit.kernel_name)}");\n}}\n'
    )


def _taken(parameters: Sequence[str], signature: Signature) -> list[str]:
    return [
        f"{'torch::Tensor' if each.kind is TypeKind.POINTER else _TYPES[each.kind]} {name}_"
        for name, each in zip(parameters, signature, strict=True)
    ]


def _passed(parameters: Sequence[str], signature: Signature) -> list[str]:
    """Return what is passed on, each as the kernel takes it."""
    return [
        f"({each.type_name}){name}_.data_ptr()"
        if each.kind is TypeKind.POINTER
        else f"({each.type_name}){name}_"
        for name, each in zip(parameters, signature, strict=True)
    ]


def _told(
    case: Case, signature: Signature, store: ByteStore, blobs: Blobs
) -> dict[str, Any]:
    return {
        "name": case.name,
        "grid": list(case.grid),
        "block": list(case.block),
        "shared_bytes": case.shared_bytes,
        "buffers": [_buffer(buffer, store, blobs) for buffer in case.buffers],
        "arguments": list(_arguments(case.arguments, signature)),
    }


def _buffer(buffer: CaseBuffer, store: ByteStore, blobs: Blobs) -> tuple[Any, ...]:
    kind = parse_element_type(buffer.element, buffer.element_size).scalar
    content, gold = (
        (store.add(raw), len(raw))
        if (raw := blobs.get(digest) if digest else b"")
        else None
        for digest in (buffer.content, buffer.gold)
    )
    written = (
        buffer.written if buffer.written[0] < buffer.written[1] else (0, buffer.size)
    )
    if not buffer.role.is_written:
        written = (0, 0)
    return (
        buffer.name,
        buffer.size,
        content,
        gold,
        written,
        _KINDS[kind],
        buffer.absolute,
        buffer.relative,
    )


def _arguments(
    arguments: Sequence[CaseArgument], signature: Signature
) -> Iterator[Any]:
    for argument, parameter in zip(arguments, signature, strict=True):
        if parameter.kind is TypeKind.POINTER:
            pointer = argument.pointers[0] if argument.pointers else None
            yield (
                (pointer.buffer, pointer.offset)
                if pointer and pointer.buffer is not None
                else (0, 0)
            )
        else:
            yield _number(bytes.fromhex(argument.content), parameter)


def _number(raw: bytes, parameter: ParameterType) -> Any:
    code = _CODES[parameter.kind, parameter.size]
    return struct.unpack(f"<{code}", raw[: parameter.size])[0]


def _module(replaced: Mapping[str, str]) -> str:
    text = (
        resources.files(__package__)
        .joinpath("text", "extension.py.txt")
        .read_text("utf-8")
    )
    for word, value in replaced.items():
        text = text.replace(f"@{word}@", value)
    return text
