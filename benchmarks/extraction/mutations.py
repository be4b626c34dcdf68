"""Mutate source texts at random, the same way for the same seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

_NOISE: Final = "{}()<>[]\"'#\\,;:&*\0\xff\r\n"


_WORDS: Final = re.compile(r"\w+")


_PIECES: Final = (
    *(
        "__global__ ",
        "<<<",
        ">>>",
        "template <",
        "#if 0\n",
        "#else\n",
        "#endif\n",
        "#define X(",
        'R"(',
        "/*",
        "\\\n",
    ),
    *(
        "hipLaunchKernelGGL(",
        "cudaLaunchKernelEx(",
        "??/\n",
        "operator",
        "\r\n",
        "%:",
        "(" * 200,
        "{" * 200,
        "x" * 10_000,
    ),
)


_TIMES: Final = (1, 1, 2)


def _splice_pieces(text: str, chance: Random) -> str:
    for _ in range(chance.randrange(1, 8)):
        offset = chance.randrange(len(text) + 1)
        text = text[:offset] + chance.choice(_PIECES) + text[offset:]
    return text


def _swap_ranges(text: str, chance: Random) -> str:
    """Exchange two ranges."""
    first, second, third, fourth = sorted(
        chance.randrange(len(text) + 1) for _ in range(4)
    )
    return (
        text[:first]
        + text[third:fourth]
        + text[second:third]
        + text[first:second]
        + text[fourth:]
    )


def _rename_words(text: str, chance: Random) -> str:
    words = _WORDS.findall(text) or ["x"]
    return _WORDS.sub(
        lambda word: chance.choice(words) if chance.random() < 0.02 else word.group(),
        text,
    )


MUTATIONS: Final[dict[str, Callable[[str, Random], str]]] = {
    "cut": lambda text, chance: text[: chance.randrange(len(text) + 1)],
    "beheaded": lambda text, chance: text[chance.randrange(len(text) + 1) :],
    "dropped": lambda text, chance: "".join(
        character for character in text if chance.random() > 0.01
    ),
    "doubled": lambda text, chance: "\n".join(
        line for line in text.split("\n") for _ in range(chance.choice(_TIMES))
    ),
    "shuffled": lambda text, chance: "\n".join(
        chance.sample(text.split("\n"), text.count("\n") + 1)
    ),
    "noise": lambda text, chance: "".join(
        chance.choice(_NOISE) if chance.random() < 0.01 else character
        for character in text
    ),
    "spliced": _splice_pieces,
    "swapped": _swap_ranges,
    "renamed": _rename_words,
    "returns": lambda text, _: text.replace("\n", "\r\n"),
    "old_returns": lambda text, _: text.replace("\n", "\r"),
    "joined": lambda text, _: text.replace("\n", "\\\n"),
    "one_line": lambda text, _: text.replace("\n", " "),
    "marked": lambda text, _: "\xef\xbb\xbf" + text,
}
"""What may be done to a text, a character a byte."""


def mutate_text(text: str, kinds: Sequence[str], seed: int) -> bytes:
    """Return a text after these mutations, the same ones for the same seed."""
    chance = Random(seed)
    for kind in kinds:
        text = MUTATIONS[kind](text, chance)
    return text.encode("latin-1", "replace")
