"""The numbers that a case passes to a kernel, as a reader knows them."""

from __future__ import annotations

from crawler.dataset.prompts.example_case import read_number, resolve_type
from crawler.model import Case, Kernel


def list_numbers(kernel: Kernel, case: Case) -> list[tuple[str, str]]:
    """Return the parameters that are plain numbers in a case, each with its value."""
    types = {
        parameter.name: resolve_type(parameter.canonical_type, {})
        for parameter in kernel.parameters
    }
    numbers: list[tuple[str, str]] = []
    for argument in case.arguments:
        raw = bytes.fromhex(argument.content)
        # what points, or holds several values, is no number
        if argument.pointers:
            continue
        number = read_number(raw, types.get(argument.name, ""))
        if number is not None:
            numbers.append((argument.name, str(number)))

    return numbers
