"""A kernel says what its own comment and those of its launchers say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.extract.companions.function_comments import attach_comments
from crawler.extract.operators.host_code import attach_host_code
from crawler.model import CommentRole, FunctionComment, Kernel

CU = """// Multiplies each element of x by a factor. Not for ints.
//
// Args: x is changed in place
template <typename T>
__global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }

__global__ void fill(float* x) { x[0] = 1; }

/**
 * @brief Scales and fills a vector on the current stream.
 * @param x the vector
 */
void launch(float* x, float by) {
  scale<float><<<1, 64>>>(x, by);
  fill<<<1, 1>>>(x);
}
"""


def attach(
    project: Callable[..., Any],
    index_kernels: Callable[..., dict[str, Kernel]],
    text: str,
) -> dict[str, Kernel]:
    made = project({"scale.cu": text})
    kernels = attach_host_code(made.root, made.kernels())
    return index_kernels(attach_comments(made.root, kernels))


def test_the_comment_of_the_kernel_comes_before_that_of_its_launcher(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    kernels = attach(project, index_kernels, CU)
    launcher = FunctionComment(
        role=CommentRole.LAUNCHER,
        name="launch",
        text="Scales and fills a vector on the current stream.",
    )

    assert kernels["scale"].comments == (
        FunctionComment(
            role=CommentRole.KERNEL,
            name="scale",
            text="Multiplies each element of x by a factor. Not for ints.",
        ),
        launcher,
    )
    assert kernels["fill"].comments == (launcher,)


def test_a_kernel_without_words_has_none(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    text = "// see above\n__global__ void fill(float* x) { x[0] = 1; }\n"

    assert attach(project, index_kernels, text)["fill"].comments == ()


def test_what_a_file_says_of_itself_comes_last(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    head = "// Vectors that are scaled where they lie.\n#include <cstdio>\n\n"
    kernels = attach(project, index_kernels, head + CU)
    said_of_the_file = FunctionComment(
        role=CommentRole.FILE,
        name="scale.cu",
        text="Vectors that are scaled where they lie.",
    )

    for kernel in kernels.values():
        assert kernel.comments[-1] == said_of_the_file
