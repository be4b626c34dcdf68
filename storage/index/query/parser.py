"""Parser of the query language: `name = roi* and (pass_call.gfx90a = pass or not tag = trivial)`.

A term is `FIELD OP VALUE[,VALUE…]`, or a bare word, which is a part of the name. Terms are joined
by `and`, which may be left out, and `or`, which binds less; `not` or `-` before a term or a bracket
negates it. `=` and `!=` compare anything, `~` finds a part of a text, `<`, `<=`, `>`, `>=` compare
numbers, and `10..300` is a range of numbers with both ends. A comma means any of; `*` is any text,
and then the case of ASCII letters does not matter; quotes take everything inside literally. A field
of many values (`tag`, `reasons`) holds when one of them does; `pass_call` without a target when any
target's verdict does. `text:"shared memory"` finds words of names and sources one behind the other.
"""

from __future__ import annotations

from typing import Final

from storage.errors import BadQuery
from storage.index.query.conditions import EVERYTHING, Condition, iter_terms
from storage.index.query.fields import bad_query, find_field
from storage.index.query.terms import Field, FieldKind

_MAX_CHARACTERS: Final = 4096
_MAX_TERMS: Final = 50


def parse_query(expression: str) -> Condition:
    """Return the condition that `expression` states; raises `BadQuery`."""
    if len(expression) > _MAX_CHARACTERS:
        raise BadQuery(
            f"The query is longer than {_MAX_CHARACTERS} characters;"
            " ask for less at once.",
            position=_MAX_CHARACTERS,
        )

    for position, character in enumerate(expression):
        # neither NUL nor a lone surrogate can be a parameter of a statement
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise bad_query(
                "this character cannot be searched for; leave it out", position
            )

    if not expression.strip():
        return EVERYTHING

    # lark is loaded only for what has an expression
    from storage.index.query.grammar import parse_expression

    condition = parse_expression(expression)
    if sum(1 for _ in iter_terms(condition)) > _MAX_TERMS:
        raise BadQuery(
            f"The query has more than {_MAX_TERMS} terms; ask for less at once."
        )

    return condition


def parse_field(text: str) -> tuple[Field, str]:
    """Return the field and the target that `licence` or `pass_call.sm_80` names, the target empty
    where there is none; raises `BadQuery`.
    """
    name, _, target = text.strip().partition(".")
    field = find_field(name, target, 0)
    if field.kind is FieldKind.WORDS:
        raise bad_query(f"`{name}` has no values to count; use another field", 0)
    return field, target
