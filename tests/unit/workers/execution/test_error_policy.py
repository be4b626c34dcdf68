"""What becomes of a task, for each family of errors."""

from __future__ import annotations

import errno
import shutil

import pytest

from crawler.errors import (
    BadArchive,
    ConfigureFailed,
    MissingTool,
    NetworkDown,
    NoKernels,
    NotFound,
    RateLimited,
)
from workers.execution.error_policy import decide_outcome


def test_a_passing_failure_is_tried_again_ever_later_and_not_for_ever() -> None:
    delays = [
        decide_outcome(NetworkDown("down"), attempt=attempt, attempts=5).retry_in
        for attempt in range(1, 6)
    ]
    first, *_, fourth, last = delays
    assert first is not None
    assert fourth is not None
    assert 1.0 <= first <= 2.0
    assert 8.0 <= fourth <= 16.0
    assert last is None


def test_a_server_says_how_long_to_wait() -> None:
    assert (
        decide_outcome(
            RateLimited("slow down", retry_after=77), attempt=1, attempts=5
        ).retry_in
        == 77
    )


def test_an_expected_end_is_rejected_and_not_retried() -> None:
    decision = decide_outcome(NoKernels("none here"), attempt=1, attempts=5)
    assert (decision.rejected, decision.retry_in, decision.code) == (
        True,
        None,
        "no-kernels",
    )


@pytest.mark.parametrize("error", [NotFound("no such thing"), BadArchive("broken")])
def test_a_permanent_error_fails_at_once(error: Exception) -> None:
    decision = decide_outcome(error, attempt=1, attempts=5)
    assert (decision.rejected, decision.retry_in, decision.stop) == (False, None, False)
    assert decision.message == str(error)


def test_a_tools_last_words_are_kept() -> None:
    error = ConfigureFailed(
        "cmake failed",
        argv=("cmake",),
        exit_code=1,
        output="x" * 9000 + "No CUDA compiler",
    )
    message = decide_outcome(error, attempt=1, attempts=5).message
    assert message.startswith("cmake failed\n")
    assert message.endswith("No CUDA compiler")
    assert len(message) < 5000


def test_what_the_operator_must_mend_stops_the_worker_and_keeps_the_task() -> None:
    decision = decide_outcome(MissingTool("no clang"), attempt=1, attempts=5)
    assert (decision.stop, decision.retry_in) == (True, 0.0)


def copied_to_a_full_disk() -> Exception:
    return shutil.Error(
        [("a.h", "b.h", "[Errno 28] No space left on device: 'a.h' -> 'b.h'")]
    )


def wrap_full_disk() -> Exception:
    error = RuntimeError("could not write")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    return error


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "full"), copied_to_a_full_disk(), wrap_full_disk()]
)
def test_a_full_disk_is_the_operators_whoever_met_it(error: Exception) -> None:
    decision = decide_outcome(error, attempt=1, attempts=5)
    assert (decision.code, decision.stop) == ("disk-full", True)


def test_anything_else_is_a_bug_with_its_traceback() -> None:
    def broken() -> None:
        raise ZeroDivisionError("oops")

    with pytest.raises(ZeroDivisionError) as caught:
        broken()
    decision = decide_outcome(caught.value, attempt=1, attempts=5)
    assert (decision.code, decision.stop, decision.retry_in) == (
        "internal",
        False,
        None,
    )
    assert "in broken" in decision.message
