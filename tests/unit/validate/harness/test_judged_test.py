"""What a judge is given of a kernel, and what a candidate may see of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Dialect, KernelUnit, Suite
from crawler.validate.harness.judged_test import (
    JudgedTest,
    build_judged_test,
    collect_judge_sources,
)
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does


def build(*sizes: int, unit: KernelUnit | None = None) -> tuple[JudgedTest, Suite]:
    """Return the test of a kernel by a case of each size."""
    blobs = Blobs()
    subject = unit or kernels.unit(Dialect.CUDA)
    cases = [
        kernels.case(Does.ITS_WORK, blobs, n=size, name=f"n-{size}") for size in sizes
    ]
    suite = kernels.suite(subject, cases)
    return build_judged_test(subject, suite, blobs, name="test_k"), suite


def test_outputs_stand_in_no_file_but_those_of_the_judge() -> None:
    test, _ = build(5)
    stored = test.files["judge/test_k.bytes"]
    assert len(stored) == 2 * 20, "an input and its gold"
    gold = stored[20:]
    for name, content in test.files.items():
        assert (gold in content) == (name == "judge/test_k.bytes"), name
    assert b"n-5" not in test.files["test_k.cu"]


def test_a_runner_includes_its_kernel_and_names_those_of_the_cases_alone() -> None:
    test, _ = build(5, 7)
    runner = test.files["test_k.cu"].decode()
    assert '#include "kernel.inc"' in runner
    assert runner.count("KERNEL(&") == 1
    assert b"__global__" in test.files["kernels/test_k.cu"]


def test_the_number_of_cases_is_told_and_the_text_has_an_end() -> None:
    test, _ = build(5, 7)
    lines = test.files["judge/test_k.cases"].decode().splitlines()
    assert lines[0] == "kernelset-cases 1"
    assert "cases 2" in lines
    assert lines[-1] == "end"


def test_the_hidden_cases_are_with_nobody() -> None:
    blobs = Blobs()
    unit = kernels.unit(Dialect.CUDA)
    shown_case = kernels.case(Does.ITS_WORK, blobs, n=5, name="shown")
    hidden = kernels.case(Does.ITS_WORK, blobs, n=7, name="secret")
    suite = kernels.suite(unit, [shown_case, replace(hidden, hidden=True)])
    files = build_judged_test(unit, suite, blobs, name="test_k").files
    assert not any(b"secret" in content for content in files.values())
    assert b"cases 1\n" in files["judge/test_k.cases"]


def test_a_source_of_bytes_that_are_no_text_stays_as_it_is() -> None:
    unit = kernels.unit(Dialect.CUDA)
    source = unit.source + "// caf\udce9\n"
    test, _ = build(5, unit=replace(unit, source=source))
    assert test.files["kernels/test_k.cu"].endswith(b"// caf\xe9\n")


def test_a_missing_content_is_an_error_not_an_empty_buffer() -> None:
    _, suite = build(5)
    with pytest.raises(KeyError):
        build_judged_test(kernels.unit(Dialect.CUDA), suite, Blobs(), name="test_k")


def test_the_judge_includes_nothing_of_ours_but_its_own_files() -> None:
    sources = collect_judge_sources()
    for name, content in sources.items():
        for line in content.decode().splitlines():
            if line.startswith('#include "'):
                included = line.split('"')[1]
                assert f"judge/{included}" in sources, f"{name} includes {included}"
            assert "<kernelset/" not in line
