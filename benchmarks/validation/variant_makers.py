"""Write a kernel otherwise, by rules that leave its meaning: no variant of these is a cheat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

from crawler.cpp.brackets import BRACES, ROUND, closing_in_code
from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.masked.masked_source import MaskedSource

Maker = Callable[[str], str]
"""Returns a source written otherwise, or the very same where its rule does not fit."""
# the next six, but for a number: masked code of a kernel
_NAMED_WARP: Final = re.compile(
    r"\b(?:__\w*(?:sync|shfl|ballot|any|all)\w*|warpSize)\b"
)
_FOR: Final = re.compile(r"\bfor\s*\(")
_FLOAT: Final = re.compile(r"(?<=[;{}])\s*(?P<type>float)\s+(?P<name>\w+)\s*=[^;]*;")
_COUNTED: Final = re.compile(
    r"\s*(?P<type>int|unsigned|size_t)\s+(?P<name>\w+)\s*=\s*(?P<start>[\w.]+)\s*;"
    r"\s*(?P=name)\s*<\s*(?P<end>[\w.]+)\s*;\s*(?:\+\+\s*(?P=name)|(?P=name)\s*\+\+)\s*"
)
_SUM: Final = re.compile(r"(?:\s*[A-Za-z_]\w*\s*\+=[^;={}]*;)+\s*")
_PARTS_OF_HEAD: Final = 3
_PRODUCT: Final = re.compile(
    r"(?<=[;{})])\s*(?P<name>\w+)\s*\+=\s*(?P<a>[^;*+\-?:,=/%]+)\*(?P<b>[^;*+\-?:,=/%]+);"
)


def reverse_blocks(source: str) -> str:
    """Return the source with its blocks numbered from the last one."""
    return _replace_index(source, "blockIdx.x", "(gridDim.x - 1u - blockIdx.x)")


def rotate_blocks(source: str) -> str:
    """Return the source with its blocks numbered from the second one."""
    return _replace_index(source, "blockIdx.x", "((blockIdx.x + 1u) % gridDim.x)")


def reverse_threads(source: str) -> str:
    """Return the source with the threads of a block numbered from the last one."""
    return _replace_index(source, "threadIdx.x", "(blockDim.x - 1u - threadIdx.x)")


def rotate_threads(source: str) -> str:
    """Return the source with the threads of a block numbered from the eighth one."""
    return _replace_index(source, "threadIdx.x", "((threadIdx.x + 7u) % blockDim.x)")


def unroll_loops(source: str) -> str:
    """Return the source with a wish to have each loop unrolled four times."""
    code = MaskedSource(source).code
    starts = [loop.start() for loop in _FOR.finditer(code)]
    edits = [
        (start, start, "\n#pragma unroll 4\n")
        for start in starts
        if not _follows_pragma(source, start) and _follows_statement(code, start)
    ]
    return apply_edits(source, edits)


def write_while(source: str) -> str:
    """Return the source with `while` in the place of `for`."""
    code = MaskedSource(source).code
    edits: list[Edit] = []
    for loop in _FOR.finditer(code):
        head_end, body, body_end = _find_body(code, loop.end() - 1)
        parts = source[loop.end() : head_end].split(";")
        is_plain = code[body - 1] == "{" and len(parts) == _PARTS_OF_HEAD and parts[1]
        if not is_plain or "continue" in code[body:body_end]:
            continue
        if _follows_pragma(source, loop.start()):
            continue

        first, condition, step = parts
        edits.append((loop.start(), body, f"{{ {first}; while ({condition}) {{"))
        edits.append((body_end, body_end, f"{step}; }}"))
    return apply_edits(source, sorted(edits))


def reverse_sums(source: str) -> str:
    """Return the source with loops that only add to variables counting down."""
    code = MaskedSource(source).code
    edits: list[Edit] = []
    for loop in _FOR.finditer(code):
        head_end, body, body_end = _find_body(code, loop.end() - 1)
        count = _COUNTED.fullmatch(code, loop.end(), head_end)
        is_sum = _SUM.fullmatch(code, body, body_end) is not None
        if count is None or not is_sum or not _follows_statement(code, loop.start()):
            continue

        kind, name, start, end = count.group("type", "name", "start", "end")
        head = f"{kind} {name} = {end}; {name}-- > {start};"
        # as long as both are whole numbers of that type, and there is something to count
        edits.append((loop.start(), loop.start(), f"if ({start} < {end}) "))
        edits.append((loop.end(), head_end, head))
    return apply_edits(source, edits)


def widen_sums(source: str) -> str:
    """Return the source with numbers of 64 bits where a sum has 32."""
    code = MaskedSource(source).code
    edits = [
        (*declaration.span("type"), "double")
        for declaration in _FLOAT.finditer(code)
        if _is_plain_sum(code, declaration["name"])
    ]
    return apply_edits(source, edits)


def fuse_products(source: str) -> str:
    """Return the source with products that are added in one step."""
    code = MaskedSource(source).code
    floats = {declaration["name"] for declaration in _FLOAT.finditer(code)}
    edits = [
        (
            product.start("name"),
            product.end(),
            f"{product['name']} = fmaf({product['a'].strip()}, {product['b'].strip()}, "
            f"{product['name']});",
        )
        for product in _PRODUCT.finditer(code)
        if product["name"] in floats
    ]
    return apply_edits(source, edits)


MAKERS: Final[tuple[Maker, ...]] = (
    reverse_sums,
    widen_sums,
    fuse_products,
    write_while,
    unroll_loops,
    reverse_threads,
    reverse_blocks,
    rotate_threads,
    rotate_blocks,
)


def iter_variants(source: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each way to write a source otherwise: by one rule, then by
    two of them.
    """
    written = {source}
    makers = [(maker,) for maker in MAKERS]
    for chosen in (*makers, *combinations(MAKERS, 2)):
        text = source
        for maker in chosen:
            text = maker(text)
        if text not in written:
            written.add(text)
            yield " + ".join(maker.__name__ for maker in chosen), text


def _replace_index(source: str, index: str, text: str) -> str:
    """Return the source with another number in the place of a block's or a thread's; itself where
    some of its uses are hidden, or where lanes of a warp count.
    """
    code = MaskedSource(source).code
    is_of_threads = index.startswith("threadIdx")
    if is_of_threads and (_NAMED_WARP.search(code) or "cooperative_groups" in source):
        return source

    name, _, _ = index.partition(".")
    uses_of_parts = re.findall(rf"\b{name}\s*\.\s*[xyz]\b", code)
    # `dim3 block = blockIdx` takes all three numbers
    if len(re.findall(rf"\b{name}\b", code)) != len(uses_of_parts):
        return source

    uses = re.finditer(rf"\b{re.escape(index)}\b", code)
    return apply_edits(source, ((*use.span(), text) for use in uses))


def _follows_pragma(source: str, start: int) -> bool:
    lines = source[:start].rstrip().splitlines()
    return bool(lines) and lines[-1].lstrip().startswith("#")


def _follows_statement(code: str, start: int) -> bool:
    # a directive between `if (…)` and its loop would stand for the loop
    return code[:start].rstrip()[-1:] in (";", "{", "}")


def _find_body(code: str, opening: int) -> tuple[int, int, int]:
    """Return where the head of a loop ends, and where its body begins and ends."""
    head_end = closing_in_code(code, opening, pairs=ROUND)
    body = head_end + 1 + len(code[head_end + 1 :]) - len(code[head_end + 1 :].lstrip())
    if code[body : body + 1] == "{":
        return head_end, body + 1, closing_in_code(code, body, pairs=BRACES)
    return head_end, body, code.find(";", body) + 1


def _is_plain_sum(code: str, name: str) -> bool:
    """Tell whether a variable is added to, and is nothing that a call is given."""
    is_sum = re.search(rf"\b{name}\s*\+=", code) is not None
    is_given = re.search(rf"&\s*{name}\b|[(,]\s*{name}\s*[,)]", code) is not None
    return is_sum and not is_given
