"""Grammar of the query language, and what it says of a text that it has no form for."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, cast

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import (
    UnexpectedCharacters,
    UnexpectedInput,
    UnexpectedToken,
    VisitError,
)

from storage.errors import BadQuery
from storage.index.query.conditions import (
    Condition,
    Conjunction,
    Disjunction,
    negate,
)
from storage.index.query.fields import (
    FIELDS,
    VERDICT_FIELDS,
    bad_query,
    check_operator,
    convert_value,
    find_field,
)
from storage.index.query.glob import Glob
from storage.index.query.terms import Term

_MAX_VALUES: Final = 100
_GRAMMAR: Final = r"""
    ?start: disjunction
    ?disjunction: conjunction (_OR conjunction)*
    ?conjunction: operand (_AND? operand)*
    ?operand: _NOT operand -> negation
            | "(" disjunction ")"
            | HEAD values -> term
            | values -> bare_words
    values: VALUE ("," VALUE)*

    // a field with its operator: a word alone is a value
    HEAD.3: /[A-Za-z_]+(\.[A-Za-z0-9_:+.\-]+)?\s*(!=|<=|>=|=|~|<|>)|text\s*:(?!:)/
    _AND.2: /and(?=[\s()]|$)/i
    _OR.2: /or(?=[\s()]|$)|\|{1,2}/i
    _NOT.2: /-|not(?=[\s(])/i
    VALUE: /(?:[^\s,"*=<>~()|]|\*|"(?:[^"\\]|\\.)*")+/s

    %ignore /\s+/
"""
# the query language: the text behind the place at which the parser gave up, and the values that
# it found
_HEAD: Final = re.compile(
    r"([A-Za-z_]+)(?:\.([A-Za-z0-9_:+.\-]+))?\s*(!=|<=|>=|=|~|<|>|(?<=text):|(?<=text\s):)"
)
_PIECE: Final = re.compile(r'\*|"((?:[^"\\]|\\.)*)"|[^*"]+', re.DOTALL)
_ESCAPED_CHARACTER: Final = re.compile(r"\\(.)", re.DOTALL)
_BARE_VERDICT: Final = re.compile(rf"(?:{'|'.join(VERDICT_FIELDS)})(?:\.[^\s,*]+)?")
_COLON: Final = re.compile(r"([A-Za-z_]+):(.*)", re.DOTALL)
_JOINING_WORDS: Final = frozenset({"and", "or", "not"})
_NO_FIELD: Final = "no field stands before this sign; quote it to search for it"
_VALUE_MISSING: Final = 'a value is missing; write one, or "" for none'
_TERM_MISSING: Final = "a term is missing; write one, such as `name = roi*`"
_MISPLACED_SIGNS: Final = {
    '"': "this quote is never closed; add another",
    **dict.fromkeys("=<>~!", _NO_FIELD),
    ")": "no bracket was opened before this one; leave it out",
    ",": _VALUE_MISSING,
}


def parse_expression(expression: str) -> Condition:
    """Return the condition that a text of the query language states; raises `BadQuery`."""
    try:
        # with a transformer, what it makes of the whole text is what a parse returns
        return cast("Condition", _make_parser().parse(expression))
    except UnexpectedInput as error:
        raise _explain(expression, error) from None
    except VisitError as error:
        raise error.orig_exc from None


@v_args(inline=True)
class _ConditionBuilder(Transformer[Token, Condition]):
    """Builds conditions while the text is parsed, so that no depth of brackets is too deep."""

    def disjunction(self, *operands: Condition) -> Condition:
        return Disjunction(operands)

    def conjunction(self, *operands: Condition) -> Condition:
        return Conjunction(operands)

    def negation(self, operand: Condition) -> Condition:
        return negate(operand)

    def values(self, *tokens: Token) -> list[tuple[Glob, Token]]:
        if len(tokens) > _MAX_VALUES:
            raise bad_query(
                f"more than {_MAX_VALUES} values; ask for less at once",
                _start_of(tokens[_MAX_VALUES]),
            )
        return [(_read_glob(str(token)), token) for token in tokens]

    def term(self, head: Token, values: list[tuple[Glob, Token]]) -> Condition:
        match = _HEAD.fullmatch(str(head))
        assert match, "the grammar has the same pattern"
        name, target, operator = match.groups(default="")
        start = _start_of(head)
        field = find_field(name, target, start)
        # a word behind `text:`, as search boxes have it, is the one that is looked for
        operator = "=" if operator == ":" else operator
        check_operator(field, operator, len(values), start + match.start(3))
        converted = tuple(
            convert_value(field, glob, operator, _start_of(token))
            for glob, token in values
        )
        # `!=` is the opposite of `=`, and `~` looks for what stands within
        is_equality = operator in {"!=", "~"}
        term = Term(
            field=field,
            operator="=" if is_equality else operator,
            values=converted,
            target=target,
        )
        return negate(term) if operator == "!=" else term

    def bare_words(self, values: list[tuple[Glob, Token]]) -> Condition:
        """Words without a field, of which the name must contain one."""
        for _, token in values:
            _refuse_what_is_no_name(token)

        substrings = tuple(glob.as_substring() for glob, _ in values)
        return Term(FIELDS["name"], "=", substrings)


@cache
def _make_parser() -> Lark:
    # made once a process
    return Lark(_GRAMMAR, parser="lalr", transformer=_ConditionBuilder())


def _read_glob(text: str) -> Glob:
    pieces = [""]
    for match in _PIECE.finditer(text):
        if match.group() == "*":
            pieces.append("")
        elif match.group(1) is not None:
            pieces[-1] += _ESCAPED_CHARACTER.sub(r"\1", match.group(1))
        else:
            pieces[-1] += match.group()

    return Glob(tuple(pieces))


def _refuse_what_is_no_name(token: Token) -> None:
    """Raise `BadQuery` for a word by which its writer means something else than a name."""
    position = _start_of(token)
    if _BARE_VERDICT.fullmatch(token):
        raise bad_query(
            "this is a field; write which verdict it is to have, as in"
            " `pass_call.sm_80 = pass`",
            position,
        )

    if token.lower() in _JOINING_WORDS:
        raise bad_query(_TERM_MISSING, position)

    colon = _COLON.fullmatch(token)
    # namespaces have two
    if colon and not colon.group(2).startswith(":"):
        name, value = colon.groups()
        is_field = name in FIELDS
        term = f"{name} = {value}" if is_field else f'tag = "{token}"'
        raise bad_query(
            f"`:` is no operator; write `{term}`, or quote it if it is part of a name",
            position + len(name),
        )


def _explain(expression: str, error: UnexpectedInput) -> BadQuery:
    """Return the error for a text that the grammar has no form for."""
    is_character = isinstance(error, UnexpectedCharacters)
    is_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    position = len(expression) if is_end else error.pos_in_stream or 0

    before = expression[:position].rstrip()
    sign = expression[position : position + 1]
    head = re.search(rf"{_HEAD.pattern}$", before)
    if head:
        if sign == "=":
            return bad_query("equality is one sign here; write `=`", head.start(3))
        if sign != '"':
            return bad_query(_VALUE_MISSING, position)

    if before.endswith(",") and sign != '"':
        return bad_query(_VALUE_MISSING, position)
    if sign == ")" and before.count("(") > before.count(")"):
        return bad_query(_TERM_MISSING, position)
    if not sign:
        return _explain_end(before, position)
    if is_character or sign in _MISPLACED_SIGNS:
        return bad_query(_MISPLACED_SIGNS.get(sign, _TERM_MISSING), position)

    return bad_query(_TERM_MISSING, position)


def _explain_end(before: str, position: int) -> BadQuery:
    is_joined = re.search(r"(?:\b(?:and|or|not)|[-|(])$", before, re.IGNORECASE)
    if before and not is_joined:
        return bad_query("this bracket is never closed; add `)`", before.rfind("("))
    return bad_query(_TERM_MISSING, position)


def _start_of(token: Any) -> int:
    return int(token.start_pos or 0)
