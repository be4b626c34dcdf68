"""Compare the code of a kernel in two modules, apart from names and order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from crawler.cpp.demangle import demangle_symbol
from crawler.model import Fidelity
from crawler.validate.fidelity.code_module import CodeItem, CodeModule, render_item

_ORDER: Final = (Fidelity.IDENTICAL, Fidelity.EQUIVALENT, Fidelity.DIFFERENT)
_MAX_LINE_CHARACTERS: Final = 80
_MAX_RENAMED_CHARACTERS: Final = 256 << 20
"""Code of all kernels of a unit together whose names are compared by their places: some ten
seconds. Hundreds of kernels may share megabytes.
"""


class Comparison(NamedTuple):
    """How far two pieces of code agree, and in what they differ."""

    fidelity: Fidelity
    difference: str = ""


def compare_modules(unit: CodeModule, whole: CodeModule) -> Comparison:
    """Compare each kernel of a unit with the one of its whole translation unit.

    The least agreement of them counts. A kernel that only the unit has is one that the whole
    does not instantiate, and says nothing; `not-comparable` where that holds for all.
    """
    whole_entries = {_readable_name(name): name for name in whole.entries}
    comparisons = []
    renamed_count = 0
    for entry in unit.entries:
        counterpart = whole_entries.get(_readable_name(entry))
        if not counterpart:
            continue

        unit_items = unit.reachable_items(entry)
        whole_items = whole.reachable_items(counterpart)
        if list(map(render_item, unit_items)) == list(map(render_item, whole_items)):
            comparisons.append(Comparison(Fidelity.IDENTICAL))
            continue

        items = (*unit_items, *whole_items)
        renamed_count += sum(len(item.head) + len(item.body) for item in items)
        if renamed_count > _MAX_RENAMED_CHARACTERS:
            return Comparison(
                Fidelity.NOT_COMPARABLE, "its kernels share too much code"
            )

        unit_texts = _rename_in_order(unit, unit_items)
        whole_texts = _rename_in_order(whole, whole_items)
        comparison = _compare_texts(entry, unit_texts, whole_texts)
        if comparison.fidelity is Fidelity.EQUIVALENT and _list_strings(
            unit_items
        ) != _list_strings(whole_items):
            comparison = Comparison(Fidelity.EQUIVALENT, "names, strings")
        comparisons.append(comparison)

    if not comparisons:
        reason = "the whole translation unit gives no code for it"
        return Comparison(Fidelity.NOT_COMPARABLE, reason)

    return max(comparisons, key=lambda comparison: _ORDER.index(comparison.fidelity))


def _compare_texts(
    entry: str, unit_texts: dict[str, str], whole_texts: dict[str, str]
) -> Comparison:
    """Compare the texts of what an entry leads to, whose names say their places alone."""
    if len(unit_texts) != len(whole_texts):
        numbers = (
            f"{len(unit_texts)} functions and variables, the whole {len(whole_texts)}"
        )
        return Comparison(Fidelity.DIFFERENT, f"{entry} leads to {numbers}")

    pairs = zip(unit_texts.values(), whole_texts.values(), strict=True)
    for name, (unit_text, whole_text) in zip(unit_texts, pairs, strict=True):
        if unit_text != whole_text:
            line = _find_first_difference(unit_text, whole_text)
            return Comparison(Fidelity.DIFFERENT, f"{name}: {line}")

    return Comparison(Fidelity.EQUIVALENT, "names")


def _rename_in_order(module: CodeModule, items: Sequence[CodeItem]) -> dict[str, str]:
    """Return the text of each item that is no string, named by its position among them.

    All strings have one name: how many there are depends on which of them are the same.
    """
    code_items = [item for item in items if not item.is_text]
    new_names = {item.name: "string" for item in items}
    for index, item in enumerate(code_items):
        new_names[item.name] = f"symbol{index}"

    return {item.name: module.rename_symbols(item, new_names) for item in code_items}


def _list_strings(items: Iterable[CodeItem]) -> set[str]:
    return {item.body for item in items if item.is_text}


def _find_first_difference(unit_text: str, whole_text: str) -> str:
    unit_lines = unit_text.splitlines()
    whole_lines = whole_text.splitlines()
    for unit_line, whole_line in zip(unit_lines, whole_lines, strict=False):
        if unit_line != whole_line:
            unit_part = unit_line[:_MAX_LINE_CHARACTERS]
            whole_part = whole_line[:_MAX_LINE_CHARACTERS]
            return f"`{unit_part}`, in the whole `{whole_part}`"

    return f"{len(unit_lines)} lines, in the whole {len(whole_lines)}"


def _readable_name(symbol: str) -> str:
    """Return a symbol as written, without the anonymous namespaces that units do not open."""
    # in LLVM's IR a global name begins with `@`, and stands in quotes where it has to
    plain_symbol = symbol.removeprefix("@").strip('"')
    return demangle_symbol(plain_symbol) or plain_symbol
