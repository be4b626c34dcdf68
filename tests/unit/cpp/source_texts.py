"""Texts that look like sources, and some that hardly do, for properties of what reads them."""

from __future__ import annotations

from hypothesis import strategies as st

QUOTES = ('"', "'", "\\", "R", 'R"x(', ')x"', "u8", "L'x'", '"cub"', "1'000")
COMMENTS = ("/*", "*/", "//", "/**/", "// cub\n", "/* cub */")
LINES = ("\n", "\r\n", "\\\n", " ", "\t", "\x1c")
SIGNS = (
    "<",
    ">",
    "<<<",
    ">>>",
    "::",
    "->",
    ".",
    "##",
    "(",
    ")",
    "{",
    "}",
    "\0",
    "\u20ac",
)
DIRECTIVES = (
    "#",
    "#include",
    " include",
    "__has_include",
    "error",
    "\n#include <a'b>\n",
    "\n#error isn't\n",
    "#if __has_include(<cub>)\n",
)
WORDS = ("cub", "cudaMalloc", "asm", "\u00e9", ".5", "1.", "1e+", "0x1f")

source_like = st.lists(
    st.sampled_from((*QUOTES, *COMMENTS, *LINES, *SIGNS, *DIRECTIVES, *WORDS))
    | st.text(max_size=3),
    max_size=60,
).map("".join)
"""Texts of pieces that change what stands behind them."""
