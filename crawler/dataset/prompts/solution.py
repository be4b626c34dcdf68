"""Choose the unit that a prompt asks for, and split it into what is given and what is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import BRACES, ROUND, closing_in_code
from crawler.cpp.directives import DIRECTIVE_LINES
from crawler.cpp.lexer import TokenKind, join_tokens, tokenize
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.dataset.rows.unit_statuses import list_build_statuses
from crawler.model import Dialect, KernelRecord, KernelUnit, Status

_QUALIFIER: Final = "__global__"
_STATEMENT_ENDS: Final = ";{}"
# masked code, in which comments are blank
_BLANK_START: Final = re.compile(r"\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitUnit:
    """A unit in three parts, which are the whole text one after the other."""

    context: str
    """All that stands before the kernel: includes, types, constants, device functions."""
    signature: str
    """From the kernel's template head or first attribute to before its `{`, stripped of blanks
    at its end.
    """
    solution: str
    """The rest: the body, and the explicit instantiations behind it."""
    declarations: tuple[str, ...]
    """The kernel's parameters as the signature declares them."""
    has_body: bool
    """Whether any code stands between the kernel's braces."""


def choose_solution(record: KernelRecord) -> KernelUnit | None:
    """Return the unit that prompts ask for: the kernel in HIP where that can be had, else as it
    is; `None` where every compiler refused it, or there is none.
    """
    own_unit = record.kernel.unit
    if own_unit is None:
        return None

    candidates = [own_unit]
    if own_unit.dialect is not Dialect.HIP:
        candidates = [*_list_hip_ports(record), own_unit]

    for unit in candidates:
        statuses = set(list_build_statuses(record, unit.digest).values())
        if statuses != {Status.FAIL.value}:
            return unit

    return None


def split_unit(unit: KernelUnit) -> SplitUnit | None:
    """Return the parts of a unit; `None` where its text does not show the kernel's definition,
    as where a macro makes it.
    """
    source = MaskedSource(unit.source)
    name = unit.kernel_name.rpartition("::")[2]
    # `k(`, or `k<float>(` of a specialisation, which stands behind its template
    arguments = r"(?:<[^;{}]*?>\s*)?"
    heads = re.compile(
        rf"\b{_QUALIFIER}\b[^;{{}}]*?\b{re.escape(name)}\s*{arguments}\("
    )

    # the kernel is the last fragment of its unit, and a declaration of it may stand before
    for head in reversed(list(heads.finditer(source.code))):
        opening = head.end() - 1
        closing = closing_in_code(source.code, opening, pairs=ROUND)
        body = source.code.find("{", closing) if closing >= 0 else -1
        if body < 0 or source.code[closing + 1 : body].strip():
            continue
        end = closing_in_code(source.code, body, pairs=BRACES)
        if end < 0:
            continue

        start = _find_declaration_start(source, head.start())
        signature = unit.source[start:body].rstrip()
        return SplitUnit(
            context=unit.source[:start],
            signature=signature,
            solution=unit.source[start + len(signature) :],
            declarations=_split_parameters(unit.source[opening + 1 : closing]),
            has_body=bool(source.code[body + 1 : end].strip()),
        )

    return None


def _list_hip_ports(record: KernelRecord) -> list[KernelUnit]:
    return [
        port
        for port in record.ports
        if port.dialect is Dialect.HIP
        and not (port.port_report and port.port_report.blockers)
    ]


def _find_declaration_start(source: MaskedSource, qualifier: int) -> int:
    """Return where the declaration begins in which `qualifier` stands."""
    start = 1 + max(source.code.rfind(end, 0, qualifier) for end in _STATEMENT_ENDS)
    for directive in DIRECTIVE_LINES.finditer(source.text, start, qualifier):
        # `template <…>`, then `#if …` round its launch bounds: one declaration
        if source.code[start : directive.start()].strip():
            break
        start = directive.end()

    # comments in front of the kernel stay with the context
    blank = _BLANK_START.match(source.code, start, qualifier)
    return blank.end() if blank else start


def _split_parameters(text: str) -> tuple[str, ...]:
    tokens = [token for token in tokenize(text) if token.kind is not TokenKind.COMMENT]
    parts = split_tokens(tokens, angles=True)
    texts = (" ".join(join_tokens(part).split()) for part in parts)
    return tuple(part for part in texts if part)
