"""Statements of inline assembly for tests, and their translations without what frames them."""

from __future__ import annotations

from crawler.ptx.inline_assembly import InlineAssembly, Operand
from crawler.ptx.translation import translate_assembly


def make_assembly(template: str, *constraints: str) -> InlineAssembly:
    """Return a statement with the operands `x0`, `x1` and so on; outputs have a `=`."""
    operands = tuple(
        Operand(constraint, f"x{number}")
        for number, constraint in enumerate(constraints)
    )
    outputs = sum("=" in constraint for constraint in constraints)
    return InlineAssembly(0, 1, template, operands, outputs)


def translate(template: str, *constraints: str) -> str:
    """Return a translation, with the namespace of helper functions left out."""
    block = translate_assembly(make_assembly(template, *constraints))
    return block.replace("::kernelset::ptx::", "")


def translate_registers(instruction: str) -> str:
    """Return what one instruction over registers becomes; empty where no rule has it.

    `p` and `q` are predicates, `a` to `d` have 32 bits, `w` and `v` 64, `h` and `g` 16, `x` and
    `y` are floats.
    """
    declarations = (
        ".reg .pred p, q; .reg .b32 a, b, c, d; .reg .b64 w, v; .reg .b16 h, g; "
        ".reg .f32 x, y;"
    )
    block = translate(f"{declarations} {instruction};")
    _, _, statement = block.partition("float ks_y; ")
    return statement.removesuffix(" })")
