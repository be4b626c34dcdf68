"""A module takes tensors and numbers, and what is neither makes none."""

from __future__ import annotations

import ast
from dataclasses import replace
from math import inf

from crawler.codec import encode
from crawler.dataset.programs.torch_module import TorchModule, build_torch_module
from crawler.dataset.prompts.example_case import read_number
from crawler.model import Case, KernelRecord
from tests.run_records import BLOBS, make_launched_record, make_run_records

PASSED = make_launched_record()
_, UNRUN = make_run_records()


def with_cases(*cases: Case) -> KernelRecord:
    """Return the record as if it had come through these cases."""
    ((_, suite),) = PASSED.suites
    changed = replace(suite, cases=cases)
    digest = BLOBS.put(encode(changed))
    runs = tuple(
        replace(run, suite=digest) if run.suite else run for run in PASSED.runs
    )
    return replace(PASSED, suites=((digest, changed),), runs=runs)


def shown_case() -> Case:
    ((_, suite),) = PASSED.suites
    return next(case for case in suite.cases if not case.hidden)


def build(*cases: Case) -> TorchModule | None:
    return build_torch_module(with_cases(*cases), BLOBS.get, "block_sum")


def test_three_cases_with_one_launch_make_a_module() -> None:
    case = shown_case()
    module = build(*(replace(case, name=name) for name in ("a", "b", "c")))
    assert module
    assert set(module.files) == {"block_sum.cu", "setup.py", "test_block_sum.py"}
    source = module.files["block_sum.cu"]
    assert (
        "void kernel_function(torch::Tensor in_, torch::Tensor out_, int64_t n_)"
        in (source)
    )
    assert "launcher::Elements{in_}, launcher::Elements{out_}, n_)" in source
    assert "kernelset/" not in source
    for name in ("setup.py", "test_block_sum.py"):
        ast.parse(module.files[name])
        assert "@NAME@" not in module.files[name]


def test_the_held_back_case_is_in_no_test() -> None:
    case = shown_case()
    hidden = replace(case, name="held", hidden=True)
    module = build(case, replace(case, name="b"), replace(case, name="c"), hidden)
    assert module
    assert "held" not in module.files["test_block_sum.py"]


def test_what_is_neither_a_tensor_nor_a_number_makes_no_module() -> None:
    case = shown_case()
    odd = replace(case.arguments[-1], content="00" * 3)
    kernel = replace(
        PASSED.kernel,
        parameters=(
            *PASSED.kernel.parameters[:-1],
            replace(PASSED.kernel.parameters[-1], type="View", canonical_type="View"),
        ),
    )
    broken = replace(case, arguments=(*case.arguments[:-1], odd))
    record = replace(with_cases(broken, broken, broken), kernel=kernel)
    assert build_torch_module(record, BLOBS.get, "k") is None


def test_a_kernel_that_was_not_run_makes_no_module() -> None:
    assert build_torch_module(UNRUN, BLOBS.get, "k") is None
    assert build_torch_module(PASSED, None, "k") is None


def test_numbers_are_read_as_their_types_say() -> None:
    assert read_number(b"\xff\xff\xff\xff", "int") == -1
    assert read_number(b"\xff\xff\xff\xff", "unsigned int") == 0xFFFFFFFF
    assert read_number(b"\x00\x00\x80\x7f", "float") == inf
    assert read_number(b"\x01", "bool") is True
    assert read_number(b"\x00" * 12, "View") is None
