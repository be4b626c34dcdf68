"""Check the inline assembly in a PTX module by its syntax, where nothing here assembles it."""

from __future__ import annotations

import re
from typing import Final

from crawler.ptx.instruction_set import DIRECTIVES, OPCODES
from crawler.ptx.program import split_statements

_BEGIN: Final = "// begin inline asm"
_END: Final = "// end inline asm"
# PTX, which no lexer here cuts: one block of it without comments, then statement by statement
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BLANKS: Final = re.compile(r"\s+")
_STRING: Final = re.compile(r'"[^"]*"')
_LABELS: Final = re.compile(r"(?:[A-Za-z_$%][\w$]* ?:(?!:) ?)*")
_GUARD: Final = re.compile(r"(?:@ ?!? ?%?[A-Za-z_$][\w$]* ?)?")
_HEAD: Final = re.compile(
    r"(?P<dot>\.?)(?P<name>[a-z]\w*)(?:(?: ?\.|::)\w+)*(?= |[{\[%(]|\Z)"
)
_FOREIGN: Final = re.compile(r"[^\w$%\[\]{}()<>,.:+\-*/!|&^~= ]")
# e.g. `%r1 %r2`: a comma or an operator is missing
_SIDE_BY_SIDE: Final = re.compile(r"[\w\])}] [\w%$\[({]")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


def find_malformed_assembly(ptx: str) -> str:
    """Return the first statement of inline assembly that no assembler would take.

    Empty where all of them begin with an instruction or a directive that PTX has, and where
    their operands are written as such.
    """
    blocks = ptx.split(_BEGIN)
    for block in blocks[1:]:
        assembly, end, rest = block.partition(_END)
        # a comment of the assembly itself may say that it ends here
        if not end or _END in rest:
            return _BEGIN

        malformed = _find_in_block(assembly)
        if malformed:
            return malformed

    return ""


def _find_in_block(assembly: str) -> str:
    text = _BLANKS.sub(" ", _COMMENT.sub(" ", assembly)).strip()
    text = _STRING.sub("0", text)
    if not _are_brackets_closed(text):
        return text
    # a statement without its end goes on in what follows
    if text and text[-1] not in ";}:":
        return text

    for statement in split_statements(text):
        if not _is_statement(statement):
            return statement

    return ""


def _is_statement(text: str) -> bool:
    # a label may stand before the bracket that closes its scope
    text = _LABELS.sub("", text, count=1).lstrip("{} ")
    text = _GUARD.sub("", text, count=1)
    if not text:
        return True

    head = _HEAD.match(text)
    if head is None:
        return False
    if head["dot"]:
        return head["name"] in DIRECTIVES
    if head["name"] not in OPCODES:
        return False

    operands = text[head.end() :]
    return not (_FOREIGN.search(operands) or _SIDE_BY_SIDE.search(operands))


def _are_brackets_closed(text: str) -> bool:
    awaited: list[str] = []
    for character in text:
        if character in _CLOSING:
            awaited.append(_CLOSING[character])
        elif character in _CLOSING.values() and (
            not awaited or awaited.pop() != character
        ):
            return False

    return not awaited
