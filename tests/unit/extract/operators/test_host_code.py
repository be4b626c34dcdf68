"""The host code round a kernel: its launchers and its operator's parts, verbatim, each once,
from Python inwards.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.extract.operators.host_code import attach_host_code
from crawler.extract.operators.operator_chain import attach_operators
from crawler.model import Kernel, OperatorRole

CU = """template <typename T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }
__global__ void fill(float* x) { x[0] = 1; }
__global__ void nobody(float* x) { x[0] = 2; }
void scale_launcher(float* x, float by) {
  scale<float><<<1, 64>>>(x, by);
  scale<double><<<1, 64>>>(nullptr, by);
}
void fill_launcher(float* x) { fill<<<1, 1>>>(x); }
"""
CPP = """void scale_launcher(float* x, float by);
void scale_op(float* x, float by) { scale_launcher(x, by); }
PYBIND11_MODULE(ext, m) {
  m.def("scale_op", &scale_op);
}
"""
PYTHON = "import ext\n\n\ndef scaled(x):\n    # if the caller insists\n    return ext.scale_op(x, 2.0)\n"


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    made = project({"scale.cu": CU, "bind.cc": CPP, "scale.py": PYTHON})
    return index_kernels(
        attach_host_code(made.root, attach_operators(made.root, made.kernels()))
    )


def test_all_parts_stand_there_from_python_inwards(kernels: dict[str, Kernel]) -> None:
    host = kernels["scale"].host
    assert [code.role for code in host] == [
        OperatorRole.PYTHON,
        OperatorRole.BINDING,
        OperatorRole.DISPATCHER,
        OperatorRole.LAUNCHER,
    ]
    assert host[0].source == PYTHON[PYTHON.index("def scaled") :]
    assert 'm.def("scale_op", &scale_op)' in host[1].source
    assert (
        host[2].source == "void scale_op(float* x, float by) { scale_launcher(x, by); }"
    )
    assert host[3].source.startswith("void scale_launcher(")
    assert host[3].source.count("<<<1, 64>>>") == 2


def test_a_launcher_without_operator_is_there(kernels: dict[str, Kernel]) -> None:
    (code,) = kernels["fill"].host
    assert (code.role, code.span.line) == (OperatorRole.LAUNCHER, 8)
    assert kernels["nobody"].host == ()


def test_the_nearest_code_is_kept_where_all_is_too_much(
    kernels: dict[str, Kernel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("scale.cu", CU), ("bind.cc", CPP), ("scale.py", PYTHON)):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("crawler.extract.operators.host_code._MAX_BYTES", 150)
    (bounded,) = attach_host_code(tmp_path, [kernels["scale"]])
    assert [code.role for code in bounded.host] == [OperatorRole.LAUNCHER]
