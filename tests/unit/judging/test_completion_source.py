"""What a model answers becomes the source that is judged."""

from __future__ import annotations

import pytest

from crawler.judging.completion_source import find_source
from crawler.judging.judging_task import JudgingTask

CONTEXT = "#include <kernelset/cuda.cuh>\nstruct Pair { int a, b; };\n"
SIGNATURE = "__global__ void scale(Pair* pairs, int n)"
BODY = " {\n  if (threadIdx.x < n) pairs[threadIdx.x].a *= 2;\n}\n"
WHOLE = f"struct Pair {{ int a, b; }};\n{SIGNATURE}{BODY}"
TASK = JudgingTask(
    task_id="0/scale",
    test="test_scale",
    language="cuda",
    files={},
    kernel_name="ours::scale",
    context=CONTEXT,
    signature=SIGNATURE,
)


def test_a_whole_source_stays_as_it_is() -> None:
    assert find_source(WHOLE, TASK) == WHOLE


def test_the_prelude_is_left_to_the_program_that_runs_it() -> None:
    source = find_source("#include <kernelset/cuda.cuh>\n" + WHOLE, TASK)
    assert "kernelset" not in source
    assert source.strip() == WHOLE.strip()


@pytest.mark.parametrize("fence", ["```", "````", "~~~"])
def test_of_an_explanation_the_longest_block_counts(fence: str) -> None:
    text = f"First:\n{fence}sh\nnvcc a.cu\n{fence}\nThen\n{fence}cuda\n{WHOLE}{fence}\nDone."
    assert find_source(text, TASK) == WHOLE


def test_an_answer_that_was_cut_off_in_its_block_counts_until_there() -> None:
    assert find_source(f"So:\n```cpp\n{WHOLE}", TASK) == WHOLE


def test_a_shorter_fence_within_a_block_does_not_end_it() -> None:
    block = f"// ```\n{WHOLE}"
    assert find_source(f"````cpp\n{block}````\n", TASK) == block


def test_what_defines_no_kernel_goes_on_behind_the_signature() -> None:
    source = find_source(BODY, TASK)
    assert "struct Pair" in source
    assert source.count("__global__") == 1
    assert source.index(SIGNATURE) < source.index("*= 2")


def test_a_kernel_in_a_comment_is_none() -> None:
    source = find_source(f"{{ // __global__ void scale(\n}}\n{BODY}", TASK)
    assert source.lstrip().startswith("struct Pair")


def test_the_context_stands_where_its_header_is_included() -> None:
    solution = f'#include "kernel_context.h"\n{SIGNATURE}{BODY}'
    source = find_source(solution, TASK)
    assert "kernel_context" not in source
    assert source.count("struct Pair") == 1


def test_without_a_signature_nothing_is_put_in_front() -> None:
    bare = JudgingTask(task_id="t", test="t", language="cuda", files={})
    assert find_source(BODY, bare) == BODY


@pytest.mark.timeout(30)
@pytest.mark.parametrize("part", ["__global__ ", "__global__ scale ", "scale   "])
def test_a_completion_costs_no_more_than_its_length(part: str) -> None:
    text = part * (500_000 // len(part))
    assert find_source(text, TASK).endswith(text)


@pytest.mark.parametrize(
    "head",
    [
        "__global__ void scale(",
        "template <int N>\n__global__ __launch_bounds__(64) void scale (",
        "static __global__ void\nours::scale\n(",
    ],
)
def test_a_kernel_is_known_by_its_head(head: str) -> None:
    source = f"{head}Pair* pairs, int n) {{}}\n"
    assert find_source(source, TASK) == source


@pytest.mark.parametrize("head", ["__global__ void rescale(", "__device__ void scale("])
def test_another_function_is_not_the_kernel(head: str) -> None:
    source = f"{head}int n) {{}}\n"
    assert find_source(source, TASK) != source
