"""Operators: the way from the name that Python calls to the kernel, in a project of the usual
layers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.operators.operator_chain import attach_operators
from crawler.extract.unit.orphan_files import find_orphan_launches
from crawler.model import Kernel, Operator, OperatorRole

KERNELS = """#pragma once
template <typename T> __global__ void blur_forward_kernel(T* out, const T* in) { out[threadIdx.x] = in[threadIdx.x]; }
template <typename T> __global__ void blur_backward_kernel(T* out) { out[threadIdx.x] = 1; }
__global__ void sharpen_kernel(float* out) { out[0] = 2; }
__global__ void alone_kernel(float* out) { out[0] = 3; }
"""
LAUNCHERS = """#include "../kernels.cuh"
struct Gpu {};
void BlurForwardLauncher(float* out, float* in) { blur_forward_kernel<float><<<1, 2>>>(out, in); }
void BlurBackwardLauncher(float* out) {
  // a comment with a brace {
  blur_backward_kernel<float><<<1, 2>>>(out);
}
namespace functor {
template <typename Device> struct Sharpen;
template <> struct Sharpen<Gpu> {
  void operator()(float* out) { sharpen_kernel<<<1, 1>>>(out); }
};
}
void nobody_calls_this(float* out) { alone_kernel<<<1, 1>>>(out); }
"""
GLUE = """
void blur_forward_cuda(float* out, float* in) { BlurForwardLauncher(out, in); }
void blur_backward_cuda(float* out) { BlurBackwardLauncher(out); }
ADD_TO_REGISTRY(blur_forward_impl, CUDA, blur_forward_cuda);
ADD_TO_REGISTRY(blur_backward_impl, CUDA, &blur_backward_cuda);
"""
ON_CPU = """
static float weight(int i) { return 1.0f / i; }
void blur_forward_cpu(float* out, float* in) { out[0] = weight(3) * in[0]; }
ADD_TO_REGISTRY(blur_forward_impl, CPU, blur_forward_cpu);
"""
DISPATCHERS = """
void blur_forward_impl(float* out, float* in) { CALL_BY_DEVICE(blur_forward_impl, out, in); }
void blur_backward_impl(float* out) { CALL_BY_DEVICE(blur_backward_impl, out); }
void blur_forward(float* out, float* in) { blur_forward_impl(out, in); }
void blur_backward(float* out) { blur_backward_impl(out); }
void sharpen(float* out) { functor::Sharpen<Gpu> apply; apply(out); }
"""
ELSEWHERE = """
void blur_forward(float* out, float* in) { another_framework(out, in); }
"""
BINDINGS = """
PYBIND11_MODULE(ext, m) {
  m.def("blur_forward", &blur_forward, "blur (forward)", py::arg("out"));
  m.def("blur_backward", &blur_backward, "blur");
  // m.def("gone", &blur_forward);
}
TORCH_LIBRARY(pictures, m) { m.def("sharpen(Tensor(a!) out) -> ()"); }
TORCH_LIBRARY_IMPL(pictures, CUDA, m) { m.impl("sharpen", [](float* out) { return sharpen(out); }); }
"""
PYTHON = """import torch
from . import ext

class Blur(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return ext.blur_forward(x, x)

    @staticmethod
    def backward(ctx, grad):
        return ext.blur_backward(grad)

def crisp(x):
    'Sharpen a picture in place.'
    return torch.ops.pictures.sharpen(x)

def unrelated(self):
    return self.blur_forward(1)
"""
FILES = {
    "src/kernels.cuh": KERNELS,
    "src/gpu/launchers.cu": LAUNCHERS,
    "src/gpu/glue.cpp": GLUE,
    "src/cpu/blur.cpp": ON_CPU,
    "src/dispatchers.cpp": DISPATCHERS,
    "other/framework.cpp": ELSEWHERE,
    "src/bindings.cpp": BINDINGS,
    "pictures/blur.py": PYTHON,
    "pictures/broken.py": "from . import ext\ndef f(:\n ext.blur_forward()\n",
}


@pytest.fixture(scope="module")
def kernels(project: Callable[..., Any]) -> dict[str, Kernel]:
    planted = project(FILES)
    planted.commands = [
        command for command in planted.commands if command.file.endswith(".cu")
    ]
    return {
        kernel.name: kernel
        for kernel in attach_operators(planted.root, planted.kernels())
    }


def parts(operator: Operator, role: OperatorRole) -> list[tuple[str, str, int, int]]:
    parts_of_role = [part for part in operator.parts if part.role is role]
    return [
        (part.name, part.span.path, part.span.line, part.span.end_line)
        for part in parts_of_role
    ]


def test_an_operator_is_followed_from_python_to_its_kernel(
    kernels: dict[str, Kernel],
) -> None:
    (operator,) = kernels["blur_forward_kernel"].operators
    assert operator.name == "blur_forward"
    assert parts(operator, OperatorRole.PYTHON) == [
        ("Blur.forward", "pictures/blur.py", 5, 7)
    ]
    assert parts(operator, OperatorRole.BINDING) == [
        ("blur_forward", "src/bindings.cpp", 3, 3)
    ]
    assert parts(operator, OperatorRole.DISPATCHER) == [
        ("blur_forward", "src/dispatchers.cpp", 4, 4),
        ("blur_forward_impl", "src/dispatchers.cpp", 2, 2),
        ("blur_forward_cuda", "src/gpu/glue.cpp", 2, 2),
    ]
    assert parts(operator, OperatorRole.LAUNCHER) == [
        ("BlurForwardLauncher", "src/gpu/launchers.cu", 3, 3)
    ]
    assert parts(operator, OperatorRole.KERNEL) == [
        ("blur_forward_kernel", "src/kernels.cuh", 2, 2)
    ]


def test_the_cpu_implementation_comes_with_what_it_calls(
    kernels: dict[str, Kernel],
) -> None:
    (operator,) = kernels["blur_forward_kernel"].operators
    assert [name for name, *_ in parts(operator, OperatorRole.CPU)] == [
        "blur_forward_cpu",
        "weight",
    ]
    assert not parts(kernels["blur_backward_kernel"].operators[0], OperatorRole.CPU)


def test_forward_and_backward_are_twins(kernels: dict[str, Kernel]) -> None:
    (forward,), (backward,) = (
        kernels["blur_forward_kernel"].operators,
        kernels["blur_backward_kernel"].operators,
    )
    assert (forward.twin, backward.twin) == ("blur_backward", "blur_forward")
    assert [name for name, *_ in parts(forward, OperatorRole.TWIN)] == [
        "blur_backward_kernel"
    ]
    assert [name for name, *_ in parts(backward, OperatorRole.TWIN)] == [
        "blur_forward_kernel"
    ]


def test_a_registered_lambda_and_a_functor_are_followed(
    kernels: dict[str, Kernel],
) -> None:
    (operator,) = kernels["sharpen_kernel"].operators
    assert [line for _, _, line, _ in parts(operator, OperatorRole.BINDING)] == [7, 8]
    assert [name for name, *_ in parts(operator, OperatorRole.DISPATCHER)] == [
        "sharpen"
    ]
    assert [name for name, *_ in parts(operator, OperatorRole.LAUNCHER)] == [
        "functor::Sharpen::operator()"
    ]
    assert [name for name, *_ in parts(operator, OperatorRole.PYTHON)] == ["crisp"]
    assert operator.twin == ""


def test_a_kernel_that_nothing_bound_reaches_has_no_operator(
    kernels: dict[str, Kernel],
) -> None:
    assert kernels["alone_kernel"].operators == ()


CHAIN = {
    "src/fold.cu": """
__global__ void fold_kernel(float* out) { out[0] = 1; }
__global__ void unfold_kernel(float* out) { out[0] = 2; }
void fold_launch(float* out) { fold_kernel<<<1, 1>>>(out); }
void unfold_launch(float* out) { unfold_kernel<<<1, 1>>>(out); }
""",
    "src/fold.cpp": """
class Fold : public torch::autograd::Function<Fold> {
 public:
  static Variable forward(Context* ctx, Variable x) {
#define BY_SIZE(N) case N: fold_launch(x); break;
    switch (x.size()) { BY_SIZE(4) }
#undef BY_SIZE
  }
  static Variable backward(Context* ctx, Variable grad) { unfold_launch(grad); }
};
Variable fold(Variable x) { return Fold::apply(x); }
static auto registry = torch::RegisterOperators().op("paper::fold_paper", &fold);
""",
    "paper.py": "import torch\ndef find():\n    return getattr(torch.ops.paper, 'fold_paper')\n",
}


def test_autograd_macros_within_and_names_as_text_are_followed(
    project: Callable[..., Any],
) -> None:
    planted = project(CHAIN)
    planted.commands = [
        command for command in planted.commands if command.file.endswith(".cu")
    ]
    parts_of_role = {
        kernel.name: kernel
        for kernel in attach_operators(planted.root, planted.kernels())
    }
    (forward,), (backward,) = (
        parts_of_role["fold_kernel"].operators,
        parts_of_role["unfold_kernel"].operators,
    )
    assert (forward.name, backward.name) == ("fold_paper", "fold_paper")
    assert [name for name, *_ in parts(forward, OperatorRole.DISPATCHER)] == [
        "fold",
        "Fold::forward",
    ]
    assert [name for name, *_ in parts(backward, OperatorRole.DISPATCHER)] == [
        "fold",
        "Fold::backward",
    ]
    assert [name for name, *_ in parts(forward, OperatorRole.PYTHON)] == ["find"]


def test_a_launch_in_a_file_that_no_unit_reads_says_so(
    project: Callable[..., Any],
) -> None:
    planted = project(
        {
            "read.cu": "__global__ void k() {}",
            "left.h": "void f() { k<<<1, 2>>>(); }",
            "c.h": "// <<<",
        }
    )
    (launch,) = find_orphan_launches(planted.root, {"read.cu"})
    assert (launch.kernel_name, launch.span.path, launch.grid, launch.block) == (
        "k",
        "left.h",
        "1",
        "2",
    )
    assert launch.reason.startswith("unread-file:")
    assert find_orphan_launches(planted.root, {"left.h"}) == ()


def test_a_function_registered_for_the_cpu_is_the_operators_code_for_it(
    project: Callable[..., Any],
) -> None:
    planted = project(
        {
            "gpu.cu": "__global__ void twice_kernel(float* out) { out[0] = 2; }\n"
            "void twice_on_device(float* out) { twice_kernel<<<1, 1>>>(out); }\n"
            'TORCH_LIBRARY_IMPL(lib, CUDA, m) { m.impl("twice", &twice_on_device); }\n',
            "host.cc": "void twice_plain(float* out) { out[0] = 2; }\n"
            'TORCH_LIBRARY_IMPL(lib, CPU, m) { m.impl("twice", &twice_plain); }\n',
        }
    )
    (kernel,) = attach_operators(planted.root, planted.kernels())
    (operator,) = kernel.operators
    evidence = {part.name: part.evidence for part in operator.parts}
    assert [name for name, *_ in parts(operator, OperatorRole.CPU)] == ["twice_plain"]
    assert evidence["twice_plain"] == "registered: CPU"
    assert evidence["twice_on_device"] == "registered: CUDA"


def test_an_operator_has_what_its_project_says_of_it(
    kernels: dict[str, Kernel],
) -> None:
    (sharpen,) = kernels["sharpen_kernel"].operators
    assert sharpen.documented_name == "crisp"
    assert sharpen.documentation == "Sharpen a picture in place."
    (blur,) = kernels["blur_forward_kernel"].operators
    assert (blur.documented_name, blur.documentation) == ("", "")
