"""Insert functions that report compile-time constants into a program, and read the values they
report.
"""

from __future__ import annotations

import re
from typing import Final

from crawler.validate.emulator.source.constant_queries import (
    ConstantQueries,
    ConstantQuery,
)
from crawler.validate.evidence.class_template_values import template_parameter_text

_PROBE_PREFIX: Final = "kernelset_constant_"
_NO_VALUE: Final = -1
"""Answered where there is no such constant; what is asked for is never less than nothing."""
# what the inserted functions print, one constant a line
_ANSWER: Final = re.compile(r"^constant (\d{1,4}) (\d{1,18})$", re.MULTILINE)


def insert_constant_probes(
    body: str, queries: ConstantQueries, kernel_name: str, entry: str
) -> tuple[str, str]:
    """Return a program's text with functions that answer, and the calls of them for an entry,
    between commas.

    The text keeps its lines; it is as it was, and nothing is called, where the kernel is not
    found in it.
    """
    offset = body.find(queries.kernel_head)
    if offset < 0 or not queries.queries:
        return body, ""

    template_parameters = template_parameter_text(queries.kernel_head)
    template_arguments = entry.removeprefix(kernel_name)
    is_template = bool(template_parameters)
    has_arguments = bool(template_arguments)
    if is_template != has_arguments:
        return body, ""

    namespace, _, _ = kernel_name.rpartition("::")
    scope = f"{namespace}::" if namespace else ""
    probes = ""
    calls: list[str] = []

    for number, query in enumerate(queries.queries):
        name = f"{_PROBE_PREFIX}{number}"
        probes += _format_probe(name, query, template_parameters)
        calls.append(f"{scope}{name}{template_arguments}(0)")

    text_before = body[:offset]
    text_behind = body[offset:]
    call_list = ", ".join(calls)

    return f"{text_before}{probes}{text_behind}", call_list


def _format_probe(name: str, query: ConstantQuery, template_parameters: str) -> str:
    """Return the function that answers a query.

    Of a template it has an overload for arguments that have no such constant: the substitution
    of the first fails then, and `...` takes what nothing else does.
    """
    expression = " ".join(query.expression.split())
    value = f"static_cast<long long>({expression})"
    if not template_parameters:
        return f"static long long {name}(int) {{ return {value}; }} "

    return (
        f"template <{template_parameters}> static auto {name}(int)"
        f" -> decltype({value}) {{ return {value}; }} "
        f"template <{template_parameters}> static long long {name}(...)"
        f" {{ return {_NO_VALUE}; }} "
    )


def find_probe_line(queries: ConstantQueries, source: str) -> int:
    """Return the line of a unit on which its program has the functions that answer; 0 for none."""
    if not queries.queries:
        return 0

    offset = source.find(queries.kernel_head)
    if offset < 0:
        return 0

    lines_before = source.count("\n", 0, offset)

    return lines_before + 1


def parse_constants(description: str, queries: ConstantQueries) -> dict[str, int]:
    """Return what a program says of itself by the names of what it was asked."""
    constants: dict[str, int] = {}

    answers = _ANSWER.findall(description)

    for number_text, value_text in answers:
        number = int(number_text)
        # an answer to what nobody asked comes from the program itself
        if number >= len(queries.queries):
            continue

        query = queries.queries[number]
        constants[query.name] = int(value_text)

    return constants
