"""Render a kernel instantiation without its template.

C++ lets nothing inside a template redeclare a parameter, so each name that is not a member of
something else, and not
a parameter of a macro that the kernel itself defines, means the parameter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.directives import with_directives
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize
from crawler.dataset.texts.file_names import format_instantiation_name
from crawler.dataset.texts.template_arguments import ArgumentText, spell_argument
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.model import Instantiation, Kernel

_BLANK: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_OPENING: Final = frozenset("([{")
_MEMBER: Final = frozenset({".", "->", "::"})
_CONDITIONS: Final = frozenset(
    {
        "if",
        "ifdef",
        "ifndef",
        "elif",
        "elifdef",
        "elifndef",
        "undef",
        "include",
        "error",
    }
)
_DEFINE: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE
)
_EXPLICIT: Final = re.compile(r"^template\s+__global__\s.*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flat:
    """The template-free text of a kernel for one set of template arguments."""

    label: str
    """Of the instantiation."""
    name: str
    """What the kernel is called in `source`: `roi_align_forward_cuda_kernel_float`."""
    source: str
    """Empty where there is a problem."""
    problem: str = ""
    """Why there is none: a stable slug with a detail."""


class _Unflattened(Exception):
    """There is no such text; says why."""


def flatten_kernel(kernel: Kernel, instantiation: Instantiation | None) -> Flat:
    """Return the kernel alone, template-free; its verbatim text where it is no template."""
    known = instantiation.label if instantiation else ""
    name = format_instantiation_name(kernel.name, known)
    try:
        name, source = _flat(kernel, instantiation, name)
    except _Unflattened as problem:
        return Flat(label=known, name=name, source="", problem=str(problem))
    return Flat(label=known, name=name, source=source)


def _flat(
    kernel: Kernel, instantiation: Instantiation | None, name: str
) -> tuple[str, str]:
    """Return the kernel's name and text."""
    text = kernel.source.replace("\r\n", "\n").strip()
    if not kernel.template_head:
        return name, text
    if instantiation is None:
        raise _Unflattened(
            "no-instantiation: nothing says which arguments it is used with"
        )
    arguments = _arguments(kernel, instantiation)
    pieces = _without_head(list(tokenize(text)))
    at = _name_at(pieces, kernel.name)
    opening = _opening(pieces, at)
    if not arguments:  # a full specialisation says its arguments itself
        name = format_instantiation_name(
            kernel.name,
            make_argument_label((join_tokens(pieces[at + 1 : opening]).strip(" <>"),)),
        )
    named = pieces[at]._replace(text=name)
    through = _through_macros(pieces, kernel)
    meanings = [
        one.declaration
        for parameter, one in arguments.items()
        if one.keeps_name or parameter in through
    ]
    source = _substituted([*pieces[:at], named, *pieces[opening:]], arguments)
    return name, "\n".join([*filter(None, meanings), source])


def _arguments(kernel: Kernel, instantiation: Instantiation) -> dict[str, ArgumentText]:
    """Return what each parameter becomes; raises where a parameter is a pack, or of a class
    around the kernel.
    """
    head = kernel.template_head
    if "..." in head:
        raise _Unflattened("template-pack: a pack has no text of its own")
    if len(re.findall(r"\btemplate\s*<", head)) > 1 and not any(
        one.kind == "template" for one in kernel.template_parameters
    ):
        raise _Unflattened("member-of-template: its text belongs to its class")
    if len(instantiation.arguments) != len(kernel.template_parameters):
        raise _Unflattened("arguments-unknown: not as many arguments as parameters")
    known: dict[str, str] = {}
    found: dict[str, ArgumentText] = {}
    for parameter, argument in zip(
        kernel.template_parameters, instantiation.arguments, strict=True
    ):
        if parameter.name:
            found[parameter.name] = spell_argument(parameter, argument, known)
            known[parameter.name] = argument
    return found


def _without_head(pieces: list[Token]) -> list[Token]:
    """Drop `template <…>`, which stands first; raises where a macro or a constraint stands
    there.
    """
    at = _next(pieces, -1)
    if pieces[at].text != "template":
        raise _Unflattened("made-by-macro: its template head stands in a macro")
    depth, at = 0, _next(pieces, at)
    while at < len(pieces):
        text = pieces[at].text
        depth += text.count("<") * (text in ("<", "<<<")) - text.count(">") * (
            text in (">", ">>>")
        )
        at = _closed(pieces, at) if text in _OPENING else at
        if depth <= 0:
            break
        at += 1
    rest = pieces[_next(pieces, at) :]
    if rest and rest[0].text == "requires":
        raise _Unflattened(
            "constrained: a constraint stands between its template head and itself"
        )
    if rest and rest[0].text == "template":
        raise _Unflattened("member-of-template: its text belongs to its class")
    return rest


def _name_at(pieces: Sequence[Token], name: str) -> int:
    at = 0
    while at < len(pieces) and pieces[at].text != "{":
        if pieces[at].text in _OPENING:
            at = _closed(pieces, at)
        elif pieces[at].text == name and pieces[_next(pieces, at)].text in ("(", "<"):
            return at
        at += 1
    raise _Unflattened("made-by-macro: its name stands in a macro")


def _opening(pieces: Sequence[Token], name: int) -> int:
    """Return where the parameter list opens: a specialisation has arguments before it."""
    at, depth = _next(pieces, name), 0
    while at < len(pieces) and (depth or pieces[at].text != "("):
        depth += (pieces[at].text == "<") - (pieces[at].text == ">")
        at += 1
    return at


def _closed(pieces: Sequence[Token], opening: int) -> int:
    closing = closing_token(pieces, opening)
    if closing < 0:
        raise _Unflattened("unbalanced: a bracket is never closed")
    return closing


def _next(pieces: Sequence[Token], at: int) -> int:
    """Return the position of the next token that a compiler sees; the last one where there is
    none.
    """
    return next(
        (n for n in range(at + 1, len(pieces)) if pieces[n].kind not in _BLANK),
        len(pieces) - 1,
    )


def _through_macros(pieces: Sequence[Token], kernel: Kernel) -> set[str]:
    """Return the names in those macros of the unit, not of the kernel itself, that the kernel
    uses.
    """
    unit = kernel.unit.source.replace(kernel.source.strip(), "") if kernel.unit else ""
    defined = {
        name: set(IDENTIFIER.findall(text)) for name, text in _DEFINE.findall(unit)
    }
    pending = {piece.text for piece in pieces if piece.text in defined}
    used: set[str] = set()
    while pending:
        used |= pending
        pending = {
            word for name in pending for word in defined[name] if word in defined
        } - used
    return set().union(*(defined[name] for name in used))


def _substituted(pieces: Sequence[Token], arguments: Mapping[str, ArgumentText]) -> str:
    """Return the text with the arguments in place of the names."""
    own: frozenset[str] = frozenset()
    parts: list[Token] = []
    for at, (piece, directive) in enumerate(with_directives(pieces)):
        if directive == "define" and piece.text == "define":
            own = _macro_parameters(pieces, at)
        argument = arguments.get(piece.text) if piece.kind is TokenKind.NAME else None
        shadowed = directive in _CONDITIONS or (
            directive == "define" and piece.text in own
        )
        if argument is None or shadowed or _is_member(parts):
            parts.append(piece)
        else:
            parts.append(piece._replace(text=argument.text))
    return join_tokens(parts)


def _macro_parameters(pieces: Sequence[Token], define: int) -> frozenset[str]:
    opening = _next(pieces, define) + 1
    if opening >= len(pieces) or pieces[opening].text != "(":
        return frozenset()
    return frozenset(
        piece.text
        for piece in pieces[opening : _closed(pieces, opening)]
        if piece.kind is TokenKind.NAME
    )


def _is_member(before: Sequence[Token]) -> bool:
    seen = [piece.text for piece in before[-8:] if piece.kind not in _BLANK]
    if not seen or seen[-1] not in _MEMBER:
        return False
    # a pack's `...` is no member access
    return seen[-3:] != [".", ".", "."]


def insert_into_unit(flat_kernel: Flat, kernel: Kernel) -> str:
    """Return the kernel's unit with `flat_kernel` in the template's place; empty where the unit
    lacks the template's text.
    """
    verbatim = kernel.source.replace("\r\n", "\n").strip()
    unit = _EXPLICIT.sub("", kernel.unit.source) if kernel.unit else ""
    before, found, after = unit.rpartition(verbatim)
    return before + flat_kernel.source + after if found else ""
