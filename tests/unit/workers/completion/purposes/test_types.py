"""A declaration that a model offers is kept where the unit compiles with it for all its targets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.completion.missing_declarations import find_missing_declarations
from crawler.completion.prompt_files import load_prompts
from crawler.judging.judge_program import JudgeOptions
from crawler.model import Repo
from crawler.validate.build import build_unit
from storage.open import Storage, open_storage
from tests.plain import plain_kernel, plain_unit
from tests.servers.model import serve_model
from workers.completion.completion_run import CompletionRun
from workers.completion.purposes.types import PLUGIN as TYPES
from workers.config.settings import Settings

pytestmark = pytest.mark.apt("bwrap")
SOURCE = (
    "#include <kernelset/cuda.cuh>\n"
    "__global__ void clear(Range range, float* x) {\n"
    "  if (threadIdx.x < range.size) x[range.first + threadIdx.x] = 0.f;\n"
    "}\n"
)
TARGETS = ("sm_80", "sm_90")


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    """Give an index of a kernel whose unit lacks a type."""
    unit = plain_unit(SOURCE, kernel_name="clear")
    repo = Repo(source="git", owner="o", name="n", url="u", ref="main", commit="1")
    with open_storage(tmp_path) as opened:
        opened.index.put_commit(repo, "", "", task=0)
        opened.index.put_kernels(repo, [plain_kernel(unit, name="clear")])
        opened.index.put_builds([build_unit(unit, target).build for target in TARGETS])
        yield opened


def test_a_type_is_offered_mended_and_kept_apart(storage: Storage) -> None:
    (record,) = storage.index.records("")
    (subject,) = find_missing_declarations(record, TARGETS)
    assert "unknown type name 'Range'" in subject.problem
    replies = (
        "```cpp\n#include <range.h>\n```",
        "No includes, then.",
        "```cpp\nstruct Range { int begin, size; };\n```",
        "It has a member `first`.",
        "```cpp\nstruct Range { int first, size; };\n```",
    )
    with serve_model(*replies) as (address, model):
        settings = Settings(completion_endpoint=address, completion_model="m")
        prompts = load_prompts(TYPES.placeholders)
        run = CompletionRun(
            TYPES, settings, storage.attempts, prompts, JudgeOptions(), attempts=3
        )
        attempts = [shown_attempt.attempt for shown_attempt in run.run([subject])]

    assert [attempt.verdict.value for attempt in attempts] == [
        "malformed",
        "broken",
        "compiles",
    ]
    assert "no member named 'first'" in attempts[1].messages
    assert "no member named 'first'" in model.requests[3]["messages"][-1]["content"]
    assert attempts[2].source == "struct Range { int first, size; };\n"
    assert attempts[2].pass_call == {"sm_80": "pass", "sm_90": "pass"}
    # the index's own unit is as it was
    assert list(storage.index.records("")) == [record]
