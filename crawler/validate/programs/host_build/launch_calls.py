"""Launches `K<<<grid, block>>>(arguments)` as calls that a host compiler understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import bracket_pairs
from crawler.cpp.lexer import Token, TokenKind, join_tokens

_BLANK: Final = (TokenKind.SPACE, TokenKind.COMMENT)
_OPENING_BY_CLOSING: Final = {")": "(", "]": "["}
_LINKS: Final = ("::", ".", "->")
_LITERAL_NAMES: Final = frozenset({"nullptr", "__null", "true", "false"})
_STATEMENT_WORDS: Final = frozenset(
    {"return", "else", "do", "co_return", "case", "goto"}
)
_MAX_TOKENS: Final = 5000
"""Of each part of a launch: launches within launches by the thousand must not be copied again and
again, and an angle that is never opened must not cost the whole text.
"""


@dataclass(frozen=True, slots=True)
class _Brackets:
    """Positions of the brackets of a text that have a partner.

    Replaced launches are balanced, so that what holds them keeps its brackets.
    """

    closing_by_opening: Mapping[int, int]
    opening_by_closing: Mapping[int, int]


def replace_launches(tokens: Sequence[Token]) -> list[Token]:
    """Return `tokens` with each launch as a call of `kernelset::configure_launch`.

    Only what a launch is handed by name is evaluated once; literals go to each thread as they
    are written, so that `0` and `NULL` stay null pointers.
    """
    replaced = list(tokens)
    chevrons = [index for index, token in enumerate(tokens) if token.text == "<<<"]

    pairs = bracket_pairs(token.text for token in tokens)
    brackets = _Brackets(
        pairs, {closing: opening for opening, closing in pairs.items()}
    )

    # from behind: a launch may stand among the arguments of another
    for chevron in reversed(chevrons):
        _replace_launch(replaced, chevron, brackets)

    return replaced


def _replace_launch(tokens: list[Token], chevron: int, brackets: _Brackets) -> None:
    """Replace the launch at `chevron` in `tokens`, whose number stays; nothing where it is none."""
    closing = _find_closing_chevron(tokens, chevron, brackets)
    opening_bracket = _skip_blanks(tokens, closing + 1)
    if closing < 0 or opening_bracket >= len(tokens):
        return
    if tokens[opening_bracket].text != "(":
        return

    end = brackets.closing_by_opening.get(opening_bracket, -1)
    begin = _find_expression_start(tokens, chevron, brackets)
    if end < 0 or end - opening_bracket >= _MAX_TOKENS or begin >= chevron:
        return

    kernel = join_tokens(tokens[begin:chevron]).strip()
    configuration = join_tokens(tokens[chevron + 1 : closing]).strip()
    arguments = tokens[opening_bracket + 1 : end]
    call_tokens = tokens[begin : end + 1]
    line_ends = "\n" * sum(token.text.count("\n") for token in call_tokens)
    call = _build_call(kernel, configuration, arguments)
    # markers of lines behind it keep their meaning
    text = call.replace("\n", " ") + line_ends
    tokens[begin] = Token(TokenKind.PUNCTUATION, text, tokens[begin].line)
    for position in range(begin + 1, end + 1):
        tokens[position] = Token(TokenKind.SPACE, "", tokens[position].line)


def _build_call(kernel: str, configuration: str, arguments: Sequence[Token]) -> str:
    parameters: list[str] = []
    passed: list[str] = []
    given_arguments: list[str] = []

    for number, part in enumerate(split_tokens(arguments, angles=True)):
        text = join_tokens(part).strip()
        if not text:
            continue

        if _is_literal(part):
            passed.append(text)
            continue

        is_pack = text.endswith("...")
        dots = "..." if is_pack else ""
        parameters.append(f"auto&{dots} ks_{number}")
        passed.append(f"::kernelset::pass(ks_{number}){dots}")
        given_arguments.append(text)

    call = f"[&]({', '.join(parameters)}) {{ {kernel}({', '.join(passed)}); }}"
    start_arguments = ", ".join([call, *given_arguments])
    return f"::kernelset::configure_launch({configuration}).start({start_arguments})"


def _is_literal(part: Sequence[Token]) -> bool:
    """Tell whether an argument means the same wherever it is written."""
    words = [token for token in part if token.kind not in _BLANK]
    if words and words[0].text == "{":
        return True

    return all(
        token.kind is TokenKind.NUMBER
        or token.text in _LITERAL_NAMES
        or token.text in "()-+"
        for token in words
    )


def _find_closing_chevron(
    tokens: Sequence[Token], chevron: int, brackets: _Brackets
) -> int:
    position = chevron + 1

    while position < len(tokens):
        text = tokens[position].text
        if text == ">>>":
            return position
        # a launch has no value: another begins only where this one is none
        if text in (")", "]", "}", ";", "<<<"):
            return -1
        if text in ("(", "[", "{"):
            position = brackets.closing_by_opening.get(position, len(tokens))
        position += 1

    return -1


def _skip_blanks(tokens: Sequence[Token], position: int) -> int:
    while position < len(tokens) and tokens[position].kind in _BLANK:
        position += 1

    return position


def _previous_word(tokens: Sequence[Token], position: int) -> int:
    """Return the position of the last token before `position` that is no blank, or -1."""
    position -= 1
    while position >= 0 and tokens[position].kind in _BLANK:
        position -= 1

    return position


def _find_expression_start(
    tokens: Sequence[Token], chevron: int, brackets: _Brackets
) -> int:
    """Return where the expression for the kernel begins, such as `n::k<T, (a > b)>`; `chevron`
    where none stands in front of it.
    """
    begin = chevron
    position = _previous_word(tokens, chevron)

    while position >= 0:
        position = _find_part_start(tokens, position, brackets)
        if position < 0:
            return begin

        begin = position
        link = _previous_word(tokens, position)
        if link >= 0 and tokens[link].text == "template":
            link = _previous_word(tokens, link)
        if link < 0 or tokens[link].text not in _LINKS:
            return begin

        begin = link
        position = _previous_word(tokens, link)
        # `::k` begins with its link
        if position < 0 or not _may_stand_before(tokens[position], tokens[link].text):
            return begin

    return begin


def _find_part_start(tokens: Sequence[Token], end: int, brackets: _Brackets) -> int:
    """Return where a name with its arguments and subscripts begins that ends at `end`: `k<T>`,
    `kernels[i]`, `choose(x)`, or `(k)`; -1 where none does.
    """
    position = end
    if tokens[position].text in (">", ">>>"):
        opening = _skip_template_arguments(tokens, position, brackets)
        position = _previous_word(tokens, opening)
        if position < 0:
            return -1

    if tokens[position].text not in _OPENING_BY_CLOSING:
        return position if _is_name(tokens[position]) else -1

    opening = brackets.opening_by_closing.get(position, -1)
    if opening < 0:
        return -1

    before = _previous_word(tokens, opening)
    return before if before >= 0 and _is_name(tokens[before]) else opening


def _is_name(token: Token) -> bool:
    return token.kind is TokenKind.NAME and token.text not in _STATEMENT_WORDS


def _may_stand_before(token: Token, link: str) -> bool:
    """Tell whether a token may end what stands in front of `::`, `.` or `->`."""
    endings = (">",) if link == "::" else (")", "]", ">")
    return _is_name(token) or token.text in endings


def _skip_template_arguments(
    tokens: Sequence[Token], closing: int, brackets: _Brackets
) -> int:
    """Return the position of the `<` that the `>` at `closing` closes.

    Angles in round brackets are comparisons.
    """
    depth = 0
    position = closing

    while position >= max(0, closing - _MAX_TOKENS):
        text = tokens[position].text
        if text in _OPENING_BY_CLOSING:
            position = brackets.opening_by_closing.get(position, -1)
        depth += _count_angles(text)
        if depth == 0:
            return position

        position -= 1

    return closing


def _count_angles(text: str) -> int:
    if text == ">>>":
        return 3
    return (text == ">") - (text == "<")
