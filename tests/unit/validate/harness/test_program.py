"""What stands in the text of a test: numbers that are exactly those of a case, and nothing of a
case that is hidden.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.model import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    Dialect,
    Instantiation,
    KernelUnit,
    Suite,
)
from crawler.validate.emulator.source.program_source import mark_dynamic_shared_memory
from crawler.validate.harness.embedded_bytes import HarnessContents, escape_bytes
from crawler.validate.harness.prelude_text import render_prelude, split_prelude
from crawler.validate.harness.torch_extension import render_extension
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.parameter_types import ParameterType, TypeKind

SOURCE = "#include <kernelset/torch.cuh>\n__global__ void k(const float* a, float* out, int n, c10::Half h) {}\n"


def floats(text: str) -> bytes:
    body = text[text.index("{") + 1 : text.rindex("}")]
    return b"".join(
        struct.pack("<f", float(word.strip().removesuffix("f")))
        for word in body.split(",")
    )


@settings(deadline=None)
@given(
    st.lists(
        st.floats(width=32, allow_nan=False, allow_infinity=False),
        min_size=1,
        max_size=40,
    )
)
@example([3.4025001647762064e38])
def test_floats_are_written_so_that_they_are_read_again(values: list[float]) -> None:
    raw = struct.pack(f"<{len(values)}f", *values)
    contents = HarnessContents()
    contents.expression_for("d", raw, parse_element_type("float", 4))
    assert contents.declarations.startswith("static const float data_0[]")
    assert floats(contents.declarations) == raw


@settings(deadline=None)
@given(
    st.binary(min_size=1, max_size=64),
    st.sampled_from([("float", 4), ("double", 8), ("long", 8), ("Foo", 3)]),
)
def test_any_bytes_have_an_array(raw: bytes, kind: tuple[str, int]) -> None:
    contents = HarnessContents()
    name = contents.expression_for("d", raw, parse_element_type(*kind))
    assert name == "{data_0, sizeof(data_0)}"
    assert "nan" not in contents.declarations
    assert "inf" not in contents.declarations


def test_a_content_stands_once_and_many_bytes_beside() -> None:
    contents, kind = HarnessContents(limit=8), parse_element_type("int", 4)
    assert contents.expression_for("a", bytes(8), kind) == contents.expression_for(
        "a", bytes(8), kind
    )
    assert contents.expression_for("b", b"x" * 12, kind) == "stored(0, 12)"
    assert contents.expression_for("c", b"y" * 12, kind) == "stored(12, 12)"
    assert contents.expression_for("b", b"x" * 12, kind) == "stored(0, 12)"
    assert contents.stored_bytes == b"x" * 12 + b"y" * 12
    assert escape_bytes(b'a"\0\n') == '"\\141\\042\\000\\012"'


def test_preludes_give_way_to_a_toolkits_headers() -> None:
    name, rest = split_prelude(SOURCE)
    assert name == "kernelset/torch.cuh"
    assert "kernelset" not in rest
    prelude = render_prelude(name, Dialect.CUDA)
    assert (
        prelude.index("#include <cuda_runtime.h>")
        < prelude.index("namespace c10")
        < prelude.index("#include <kernelset/torch.cuh>")
    )
    hip = render_prelude("kernelset/torch.hip.h", Dialect.HIP)
    assert "#include <kernelset/" not in hip[: hip.rindex("#else")]


def test_dynamic_memory_is_declared_in_words_of_either_side() -> None:
    text = "__device__ void f() { extern __shared__ __align__(8) float s[]; extern int other; }"
    assert mark_dynamic_shared_memory(text) == (
        "__device__ void f() { OPEN_SHARED  __align__(8) float OPEN_NAME(s)[] OPEN_END; extern int other; }"
    )


def pointer(kind: str) -> ParameterType:
    return ParameterType(
        kind=TypeKind.POINTER,
        size=8,
        alignment=8,
        type_name=kind,
        pointee_kind=TypeKind.FLOATING,
        pointee_size=4,
    )


def suite(blobs: Blobs, *, hidden: bool = False) -> Suite:
    content = blobs.put(struct.pack("<2f", 1, 2))
    buffers = (
        CaseBuffer(
            name="a",
            element="float",
            element_size=4,
            size=8,
            role=BufferRole.IN,
            content=content,
        ),
        CaseBuffer(
            name="out",
            element="float",
            element_size=4,
            size=8,
            role=BufferRole.OUT,
            gold=content,
        ),
    )
    arguments = (
        CaseArgument(
            name="a",
            content="00" * 8,
            pointers=(CasePointer(at=0, buffer=0, offset=4),),
        ),
        CaseArgument(
            name="out", content="00" * 8, pointers=(CasePointer(at=0, buffer=1),)
        ),
        CaseArgument(name="n", content=struct.pack("<i", -2).hex()),
    )
    case = Case(
        name="hidden" if hidden else "ordinary",
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(2, 1, 1),
        arguments=arguments,
        buffers=buffers,
        hidden=hidden,
    )
    return Suite(unit="f" * 64, seed=0, cases=(case,))


def unit() -> KernelUnit:
    return KernelUnit(
        source="#include <kernelset/cuda.cuh>\n__global__ void k(const float* a, float* out, int n) {}\n",
        dialect=Dialect.CUDA,
        kernel_name="k",
        instantiations=(Instantiation(arguments=(), label=""),),
        prelude="",
        digest="f" * 64,
        token_digest="",
    )


INT = ParameterType(kind=TypeKind.SIGNED, size=4, alignment=4, type_name="int")


def test_an_extension_takes_tensors_and_numbers() -> None:
    blobs = Blobs()
    made = render_extension(
        unit(),
        ((pointer("const float *"), pointer("float *"), INT),),
        suite(blobs),
        blobs,
        name="k",
    )
    source = made.files["k.cu"].decode()
    assert (
        "void kernel_function(torch::Tensor a_, torch::Tensor out_, int64_t n_,"
        in source
    )
    assert (
        "k<<<blocks, threads, shared_bytes>>>(\n      (const float *)a_.data_ptr(), (float *)out_.data_ptr(), (int)n_);"
        in source
    )
    assert "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)" in source
    module = made.files["test_k.py"].decode()
    scope: dict[str, Any] = {}
    exec(module[module.index("CASES = ") : module.index("@pytest.fixture")], scope)
    (case,) = scope["CASES"]
    assert case["arguments"] == [(0, 4), (1, 0), -2]
    assert case["buffers"][1] == ("out", 8, None, (0, 8), (0, 8), "float32", 0.0, 0.0)
    assert len(made.files["k.bin"]) == 8


@pytest.mark.parametrize(
    ("signature", "hidden", "problem"),
    [
        ((pointer("const float *"), pointer("float *"), INT), True, "no-cases"),
        (
            (
                pointer("const float *"),
                pointer("float *"),
                ParameterType(
                    kind=TypeKind.CLASS, size=24, alignment=8, type_name="View"
                ),
            ),
            False,
            "by-value",
        ),
    ],
)
def test_what_an_extension_cannot_be_given_is_said(
    signature: Any, hidden: bool, problem: str
) -> None:
    blobs = Blobs()
    made = render_extension(
        unit(), (signature,), suite(blobs, hidden=hidden), blobs, name="k"
    )
    assert not made.files
    assert made.problem.startswith(problem)
