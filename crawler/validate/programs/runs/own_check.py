"""Whether a program checks its own results, and looks at what a kernel writes."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import Final

from crawler.cpp.lexer import TokenKind, tokenize
from crawler.validate.programs.runs.program_runs import ProgramRun

# words by which the field's programs say how their own check ended
_ACCEPTING: Final = re.compile(
    r"\b(?:pass(?:ed|es)?|success(?:ful(?:ly)?)?|correct|ok)\b", re.IGNORECASE
)
_REFUSING: Final = re.compile(
    r"\b(?:fail(?:s|ed|ure|ures)?|mismatch(?:es)?|incorrect|wrong|error at)\b",
    re.IGNORECASE,
)
# what they print of a result that is another than it should be, where they do not say what that is
_DISAGREEING: Final = re.compile(
    r"""\b(?:
        (?:expected|want(?:ed)?)\b.*\b(?:got|but|is|was|found|received|actual|actually|instead|computed|result)
        |(?:got|is|was|found|received|actual|computed|result)\b.*\b(?:expected|want(?:ed)?|should)
        |should\ (?:be|have\ been)\b
        |differs? | disagrees? | instead\ of | unequal
        |(?:not|n't|never)\ (?:match|agree|equal|sorted|identical|the\ same|close)\w*
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
# the words that a string literal of a source begins with, in front of what is filled in or escaped
_LITERAL_WORDS: Final = re.compile(r'"(?:\\n)*([A-Za-z][A-Za-z !.:=\[\]-]*)')
_MAX_QUOTE_LENGTH: Final = 200
_MAX_LINE_LENGTH: Final = 1000
_FIRST_SIGNAL: Final = 128
"""Exit codes from here on are of processes that a signal ended.

Rule: POSIX, Shell Command Language, "Exit Status for Commands".
"""


def accepts_results(run: ProgramRun) -> bool:
    """Tell whether a program came to its end and found nothing wrong."""
    return run.exit_code == 0 and not _REFUSING.search(_join_streams(run))


def refuses_results(run: ProgramRun, refusals: Collection[str] = ()) -> bool:
    """Tell whether a program came to its end and says, by its exit code and in words, that what it
    computed is wrong. One of both is too little: `0 mismatches` is praise.

    One of its `refusals`, in place of which it might have printed praise, is enough.
    """
    quote = quote_refusal(run)
    if not (quote and _ended_by_itself(run)):
        return False
    if run.exit_code != 0:
        return True

    is_praised = _ACCEPTING.search(_join_streams(run)) is not None
    return not is_praised and any(refusal in quote for refusal in refusals)


def list_refusals(source: str) -> frozenset[str]:
    """Return the words of refusal of a source that stand beside words of praise: it prints one or
    the other, as in `puts(is_right ? "PASSED" : "FAILED")`.
    """
    literals = [
        token.text for token in tokenize(source) if token.kind is TokenKind.STRING
    ]
    refusals = set[str]()
    for pair in pairwise(literals):
        for one, other in (pair, pair[::-1]):
            words = _LITERAL_WORDS.match(other)
            is_pair = _is_praise(one) and not _is_praise(other)
            if is_pair and words and _REFUSING.search(words[1]):
                refusals.add(words[1].strip())

    return frozenset(refusals)


def _is_praise(literal: str) -> bool:
    return bool(_ACCEPTING.search(literal)) and not _REFUSING.search(literal)


def quote_refusal(run: ProgramRun) -> str:
    """Return the line in which a program refuses its results; empty where none does."""
    # a stranger's line may be the whole output, and hold a word thousands of times
    lines = [line[:_MAX_LINE_LENGTH] for line in _join_streams(run).splitlines()]
    for words in (_REFUSING, _DISAGREEING):
        refusing = (line.strip() for line in lines if words.search(line))
        quote = next(refusing, "")
        if quote:
            return quote[:_MAX_QUOTE_LENGTH]

    return ""


def notices_change(run: ProgramRun, changed_run: ProgramRun) -> bool:
    """Tell whether a program that accepts its results in `run` refuses them in `changed_run`, in
    which a kernel's were changed.

    It says so by its exit code or in words; a number that it only prints is no check, nor is a
    crash, or a loop that never ends.
    """
    if not _ended_by_itself(changed_run):
        return False
    if not accepts_results(changed_run):
        return True

    words, changed_words = _join_streams(run), _join_streams(changed_run)
    return bool(_ACCEPTING.search(words)) and not _ACCEPTING.search(changed_words)


def _join_streams(run: ProgramRun) -> str:
    """Return all that a program printed: `PASSED` may be in one stream, `FAILED` in the other."""
    return f"{run.output}\n{run.errors}"


def _ended_by_itself(run: ProgramRun) -> bool:
    is_in_time = not (run.timed_out or run.log.is_out_of_time)
    all_finished = all(launch.is_finished for launch in run.log.launches)
    return is_in_time and all_finished and 0 <= run.exit_code < _FIRST_SIGNAL


def read_own_check(output: str) -> str:
    """Return what a program says of its results: `fail` where any word says so, else `pass`, or
    nothing.
    """
    if _REFUSING.search(output):
        return "fail"
    return "pass" if _ACCEPTING.search(output) else ""
