"""Insert functions that report compile-time constants into a program, and read the values they
report.
"""

from __future__ import annotations

import re
from typing import Final

from crawler.validate.emulator.source.constant_queries import ConstantQueries
from crawler.validate.evidence.class_template_values import template_parameter_text

_MARK: Final = "kernelset_told_"
_NONE: Final = -1
"""Answered where there is no such constant; what is asked for is never less than nothing."""
_ANSWER: Final = re.compile(r"^constant (\d{1,4}) (\d{1,18})$", re.MULTILINE)


def insert_constant_probes(
    body: str, queries: ConstantQueries, kernel_name: str, entry: str
) -> tuple[str, str]:
    """Return a program's text with functions that answer, and the calls of them for an entry,
    between commas.

    The text keeps its lines; it is as it was, and nothing is called, where the kernel is not
    found in it.
    """
    place = body.find(queries.kernel_head)
    head = template_parameter_text(queries.kernel_head)
    given = entry.removeprefix(kernel_name)
    if place < 0 or not queries.queries or bool(head) != bool(given):
        return body, ""
    scope = kernel_name.rpartition("::")[0]
    made, calls = [], []
    for number, question in enumerate(queries.queries):
        value = f"static_cast<long long>({' '.join(question.expression.split())})"
        name = f"{_MARK}{number}"
        if head:
            made.append(
                f"template <{head}> static auto {name}(int) -> decltype({value}) {{ return {value}; }} "
            )
            made.append(
                f"template <{head}> static long long {name}(...) {{ return {_NONE}; }} "
            )
        else:
            made.append(f"static long long {name}(int) {{ return {value}; }} ")
        calls.append(f"{scope}::{name}{given}(0)" if scope else f"{name}{given}(0)")
    return f"{body[:place]}{''.join(made)}{body[place:]}", ", ".join(calls)


def find_probe_line(queries: ConstantQueries, source: str) -> int:
    """Return the line of a unit on which its program has the functions that answer; 0 for none."""
    place = source.find(queries.kernel_head) if queries.queries else -1
    return source.count("\n", 0, place) + 1 if place >= 0 else 0


def parse_constants(description: str, queries: ConstantQueries) -> dict[str, int]:
    """Return what a program says of itself by the names of what it was asked."""
    return {
        queries.queries[int(number)].name: int(value)
        for number, value in _ANSWER.findall(description)
        if int(number) < len(queries.queries)
    }
