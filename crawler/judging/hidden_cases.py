"""Take what no export shows out of judgements that are handed to whoever wrote a candidate."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from crawler.judging.judgement import Judgement

_HIDDEN_PROBLEM: Final = "a case that is not shown: something is wrong"


def hide_cases(judgement: Judgement, hidden: Collection[str]) -> Judgement:
    """Return a judgement without the cases `hidden`: of those it says only that one failed.

    Their messages would tell what goes in and what ought to come out.
    """
    shown_cases = tuple(case for case in judgement.cases if case.name not in hidden)
    if len(shown_cases) == len(judgement.cases):
        return judgement

    first_wrong = next((case for case in shown_cases if not case.passes), None)
    problem = ""
    if first_wrong is not None:
        problem = f"{first_wrong.name}: {first_wrong.message}"
    elif judgement.exe_err_msg:
        problem = _HIDDEN_PROBLEM
    return replace(judgement, cases=shown_cases, exe_err_msg=problem)
