"""What a model tried of a failing unit, in the files that GaAgent's tools keep."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from crawler.dataset.redaction.sensitive_text import redact_text
from crawler.dataset.texts.candidate_files import number_candidates, number_from_one
from crawler.model import AttemptVerdict, CompletionAttempt, Status

MEMORY_FILE: Final = "_mem.json"
_REPAIR: Final = "repair"
_WRONG: Final = (AttemptVerdict.WRONG, AttemptVerdict.REFUSED)
_RIGHT: Final = (AttemptVerdict.RIGHT, AttemptVerdict.SLOW)
_CALL_FIXES: Final = (*_WRONG, AttemptVerdict.COMPILES)
"""Verdicts of what compiles, and is not proven to be right."""


def render_repair_files(
    attempts: Iterable[CompletionAttempt], units: Sequence[str], filename: str
) -> dict[str, str]:
    """Return name to text of what models tried of `units`, digests; nothing where none was tried.

    `filename` is that by which the memory names the sample.
    """
    repairs = [
        attempt
        for attempt in attempts
        if attempt.purpose == _REPAIR and attempt.unit in units and not attempt.code
    ]
    if not repairs:
        return {}

    call_fixes = _list_sources(repairs, _CALL_FIXES)
    exe_fixes = _list_sources(repairs, _RIGHT)
    perf_fixes = [
        _redact(attempt.source) for attempt in repairs if _is_passed(attempt.pass_perf)
    ]
    memory = {
        **_describe_last(repairs[-1]),
        "call_candidates": call_fixes,
        "exe_candidates": exe_fixes,
        "perf_candidates": perf_fixes,
    }
    files = {
        **number_candidates("candidate_call_fix", call_fixes),
        **number_candidates("candidate_exe_fix", exe_fixes),
        **number_from_one("candidate_perf_fix", perf_fixes),
        MEMORY_FILE: json.dumps({filename: memory}, indent=1) + "\n",
    }
    reflections = [
        f"# Reflection before attempt {attempt.number}\n\n{_redact(attempt.reflection)}\n"
        for attempt in repairs
        if attempt.reflection
    ]
    if reflections:
        files["reflection_strategy.md"] = "\n".join(reflections)
    return files


def _list_sources(
    attempts: Iterable[CompletionAttempt], verdicts: Sequence[AttemptVerdict]
) -> list[str]:
    """Return the sources with these verdicts, each once."""
    sources = [
        _redact(attempt.source) for attempt in attempts if attempt.verdict in verdicts
    ]
    return list(dict.fromkeys(source for source in sources if source))


def _describe_last(attempt: CompletionAttempt) -> dict[str, Any]:
    """Return how the last attempt was judged, in the words of the memory."""
    verdict = attempt.verdict
    messages = _redact(attempt.messages)
    is_broken = verdict is AttemptVerdict.BROKEN
    is_wrong = verdict in _WRONG
    is_right = verdict in _RIGHT
    return {
        "written_by": "model",
        "model": attempt.model,
        "pass_call": not is_broken,
        "pass_exe": is_right if is_right or is_wrong else None,
        "pass_perf": _find_perf_verdict(attempt),
        "call_err_msg": messages if is_broken else "",
        "exe_err_msg": messages if is_wrong else "",
        "perf_err_msg": messages if verdict is AttemptVerdict.SLOW else "",
        "reflection": _redact(attempt.reflection),
    }


def _find_perf_verdict(attempt: CompletionAttempt) -> bool | None:
    is_measured = Status.SKIPPED.value not in attempt.pass_perf.values()
    return _is_passed(attempt.pass_perf) if attempt.pass_perf and is_measured else None


def _is_passed(statuses: Any) -> bool:
    return bool(statuses) and set(statuses.values()) == {Status.PASS.value}


def _redact(text: str) -> str:
    readable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return redact_text(readable, Counter())
