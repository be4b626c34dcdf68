"""What is said of a judgement to whoever wrote the candidate."""

from __future__ import annotations

from typing import Final

from crawler.judging.counted_steps import MOST_STEPS
from crawler.judging.judgement import Judgement

_REFUSALS: Final = {
    "only-known-inputs": "right for known inputs alone",
    "outside-protocol": "it wrote other than its buffers",
}


def summarise_judgement(judgement: Judgement) -> str:
    """Return a line for a person who waits."""
    if judgement.code:
        verdict = judgement.code
    elif judgement.pass_exe:
        verdict = f"right ({judgement.fresh_inputs} fresh inputs)"
        if judgement.pass_perf is False:
            verdict += f", slow: {judgement.measurement}"
        elif judgement.pass_perf is None and judgement.perf_msg:
            verdict += f", not timed: {judgement.perf_msg}"
    elif judgement.pass_call:
        verdict = f"wrong: {judgement.exe_err_msg.splitlines()[0]}"
    else:
        verdict = "does not compile"
    return f"{judgement.task_id} #{judgement.number}: {verdict}"


def describe_judgement(judgement: Judgement) -> str:
    """Return why a candidate is right, slow, wrong, does not compile or was not judged."""
    if judgement.code:
        return f"not judged: {judgement.code}"
    if not judgement.pass_call:
        return f"does not compile:\n{judgement.call_err_msg}"
    if judgement.refusal:
        reason = _REFUSALS.get(judgement.refusal, judgement.refusal)
        return f"refused: {reason}:\n{judgement.exe_err_msg}"
    if not judgement.pass_exe:
        return f"wrong:\n{judgement.exe_err_msg}"
    cases = len(judgement.cases)
    right = f"right in {cases} cases and {judgement.fresh_inputs} fresh inputs"
    if judgement.pass_perf is False and judgement.perf_msg:
        return f"{right}, and slow: {judgement.perf_msg}"
    if judgement.pass_perf is False:
        return (
            f"{right}, and slow: its warps take {judgement.steps} steps in all cases (pieces of "
            "code that are entered, reads and writes of memory), and those of the kernel that it "
            f"is held against {judgement.reference_steps}; at most {MOST_STEPS:g} times as many "
            "come through"
        )
    return right
