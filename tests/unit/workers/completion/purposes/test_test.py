"""A case that a model writes counts where the kernel comes through it and it tells something new."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from crawler.codec import encode
from crawler.completion.prompt_files import load_prompts
from crawler.completion.weak_suite import (
    WeakSuite,
    describe_case,
    find_weak_suites,
)
from crawler.completion.written_case import read_case
from crawler.judging.judge_program import JudgeOptions
from crawler.model import Repo
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.strength.suite_strength import measure_strength
from storage.open import Storage, open_storage
from tests.plain import plain_kernel, plain_unit
from tests.servers.model import serve_model
from workers.completion.completion_run import CompletionRun
from workers.completion.purposes.test import PLUGIN as TEST
from workers.completion.written_case_check import run_written_case
from workers.config.settings import Settings

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
SOURCE = """\
#include <kernelset/cuda.cuh>
__global__ void clip(const float* x, float* out, float most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (x[i] > most) out[i] = most;
    else out[i] = x[i] * 2.0f;
  }
}
"""
PARAMETERS = [
    ("x", "const float *"),
    ("out", "float *"),
    ("most", "float"),
    ("n", "int"),
]
REPO = Repo(source="git", owner="o", name="n", url="u", ref="main", commit="1")
SCALARS = {"most": "float", "n": "int"}


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """An index of a kernel of whose cases none has anything above the bound."""
    unit = plain_unit(SOURCE, kernel_name="clip")
    kernel = plain_kernel(unit, PARAMETERS, name="clip")
    validation = validate_on_cpu(kernel)
    suite, blobs = validation.suite, validation.blobs
    assert suite is not None

    whole_suite = WeakSuite(
        kernel="k",
        unit=unit,
        problem="",
        suite=suite,
        suite_digest="",
        base=suite.cases[0],
        blobs=blobs,
        scalars=SCALARS,
        cases=1,
    )
    text = json.dumps({"arguments": {"most": 1e30}, "buffers": {"x": {"values": [1]}}})
    case = read_case(text, suite.cases[0], SCALARS, blobs, "ordinary")
    weak = replace(suite, cases=(run_written_case(whole_suite, case, blobs),))
    strength = measure_strength(unit, weak, blobs)
    run = replace(validation.run, suite=blobs.put(encode(weak)), strength=strength)

    with open_storage(tmp_path_factory.mktemp("home")) as opened:
        opened.blobs.put_many(blobs.by_digest.values())
        opened.index.put_commit(REPO, "", "", task=0)
        opened.index.put_kernels(REPO, [kernel])
        opened.index.put_runs([run], [weak])
        yield opened


def find_subject(storage: Storage) -> WeakSuite:
    (record,) = storage.index.records("")
    (subject,) = find_weak_suites(record, storage.blobs.get)
    return subject


def test_the_model_is_shown_what_no_case_tells_and_a_case(storage: Storage) -> None:
    subject = find_subject(storage)
    assert (
        "`most` changed to" in subject.problem or "branch of lines" in subject.problem
    )
    question = TEST.open_question(subject, load_prompts(TEST.placeholders))
    assert "   5     if (x[i] > most) out[i] = most;" in question
    assert subject.problem in question
    case = json.loads(describe_case(subject))
    assert case["arguments"].keys() == {"most", "n"}
    assert case["buffers"]["x"]["values"] == [1.0] * 16
    # what is shown is of the form that is asked for
    read_case(json.dumps(case), subject.base, subject.scalars, subject.blobs, "x")


def test_a_case_comes_through_after_what_was_wrong_with_it_is_told(
    storage: Storage,
) -> None:
    subject = find_subject(storage)
    beyond = {"buffers": {"x": {"count": 1}}}
    telling = {"arguments": {"most": 2}, "buffers": {"x": {"values": [1, 2, 3, "nan"]}}}
    replies = (
        "Take n = 3.",
        "It wants JSON.",
        f"```json\n{json.dumps(beyond)}\n```",
        "It reads too far.",
        f"```json\n{json.dumps({'buffers': {'x': {'values': [1]}}})}\n```",
        "That is as before.",
        f"```json\n{json.dumps(telling)}\n```",
    )
    with serve_model(*replies) as (address, model):
        settings = Settings(completion_endpoint=address, completion_model="m")
        prompts = load_prompts(TEST.placeholders)
        run = CompletionRun(
            TEST, settings, storage.attempts, prompts, JudgeOptions(), attempts=4
        )
        attempts = [shown_attempt.attempt for shown_attempt in run.run([subject])]

    assert [(attempt.verdict.value, attempt.pass_exe) for attempt in attempts] == [
        ("malformed", {}),
        ("broken", {}),
        ("wrong", {"cpu": "fail"}),
        ("right", {"cpu": "pass"}),
    ]
    assert "not the JSON" in attempts[0].messages
    assert "out-of-bounds at byte 7 of x" in attempts[1].messages
    assert (
        "out-of-bounds at byte 7 of x" in model.requests[3]["messages"][-1]["content"]
    )
    assert json.loads(attempts[3].source) == telling
    # the index's own cases are as they were
    assert find_subject(storage).suite == subject.suite
