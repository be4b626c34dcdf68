"""Expressions of host code give what a compiler gives: drawn ones, with each operator beside each
other, held against clang.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from crawler.toolchains import discovery
from crawler.validate.evidence.evaluation import evaluate
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression import parse_expression

pytestmark = pytest.mark.apt
VALUES = {"n": 300, "c": 8, "k": 3, "m": -17, "z": 0}
BINARY = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||"]
BINARY += ["==", "!=", "<", ">", "<=", ">="]
PREFIXES = ["-", "!", "~", "+"]
CASTS = ["(int)", "(int64_t)", "static_cast<int>", "int64_t", "(long)", "long"]
COUNT = 600


class Writer:
    """Draws expressions, with no more parentheses than it likes."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def write(self, depth: int = 4) -> str:
        choice = self._rng.random()
        if depth == 0 or choice < 0.15:
            return self._write_leaf()
        if choice < 0.65:
            return self._write_binary(depth)
        if choice < 0.75:
            # a blank keeps `- -1` from being a decrement
            return f"{self._rng.choice(PREFIXES)} {self._write_operand(depth)}"
        if choice < 0.85:
            return f"{self._rng.choice(CASTS)}({self.write(depth - 1)})"
        if choice < 0.93:
            parts = [self._write_operand(depth) for _ in range(3)]
            return "({} ? {} : {})".format(*parts)
        return f"({self.write(depth - 1)})"

    def _write_binary(self, depth: int) -> str:
        sign = self._rng.choice(BINARY)
        left = self._write_operand(depth)
        if sign in ("<<", ">>"):
            return f"{left} {sign} {self._rng.randrange(5)}"
        blank = self._rng.choice(["", " ", "\n  "])
        return f"{left} {sign}{blank} {self._write_operand(depth)}"

    def _write_operand(self, depth: int) -> str:
        operand = self.write(depth - 1)
        return f"({operand})" if self._rng.random() < 0.3 else operand

    def _write_leaf(self) -> str:
        number = self._rng.choice(["0", "1", "2", "7", "0x1f", "32u", "64L", "010"])
        return self._rng.choice([*VALUES, number, number])


def evaluate_here(text: str) -> object:
    scope = EvaluationScope(resolve_free=lambda name, _: VALUES[name], definitions={})
    return evaluate(parse_expression(text), scope)


def compute_by_compiler(
    texts: Sequence[str], folder: Path
) -> list[tuple[bool, int | None]]:
    """Return of each expression whether it is one, and its value where C++ gives it one."""
    clang = discovery.find_clang()
    assert clang
    names = " ".join(
        f"constexpr long {name} = {value};" for name, value in VALUES.items()
    )
    head = f"#include <cstdint>\n#include <cstdio>\n{names}\n"
    # what C++ gives no value is no constant expression
    head += (
        "template <class F, long = F{}()> constexpr bool is_known(F) { return true; }\n"
        "constexpr bool is_known(...) { return false; }\n"
    )
    tests = "".join(
        f"  {{ auto f = [] {{ return (long)({text.replace(chr(10), ' ')}); }};\n"
        f'    if constexpr (is_known(f)) printf("{number} %ld\\n", f()); }}\n'
        for number, text in enumerate(texts)
    )
    source = folder / "expressions.cpp"
    source.write_text(f"{head}int main() {{\n{tests}}}\n")
    program = folder / "expressions"
    command = [
        str(clang.path),
        "-std=c++20",
        "-w",
        "-O0",
        str(source),
        "-o",
        str(program),
    ]
    subprocess.run(command, check=True, capture_output=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True)
    values: dict[int, int] = {}
    for line in output.stdout.splitlines():
        number, value = line.split()
        values[int(number)] = int(value)
    return [(number in values, values.get(number)) for number in range(len(texts))]


def fits(value: object) -> bool:
    """Tell whether a number is so small that no type of C++ wraps it around."""
    return isinstance(value, int) and abs(value) < 1 << 31


def test_drawn_expressions_give_what_a_compiler_gives(tmp_path: Path) -> None:
    writer = Writer(5)
    texts = [text for text in (writer.write() for _ in range(COUNT)) if "u" not in text]
    answers = compute_by_compiler(texts, tmp_path)
    compared = 0
    for text, (is_known, expected) in zip(texts, answers, strict=True):
        value = evaluate_here(text)
        # larger numbers wrap around in one of C++'s types, and here in none
        if not is_known or value is None or not fits(expected):
            continue
        compared += 1
        assert value == expected, text
    assert compared > 250


@pytest.mark.parametrize("sign", BINARY)
def test_each_operator_beside_each_other_binds_as_in_cpp(
    sign: str, tmp_path: Path
) -> None:
    texts = [f"n {sign} k {other} 2" for other in BINARY]
    texts += [f"n {other} k {sign} 2" for other in BINARY]
    texts += [f"- n {sign} k", f"! n {sign} k", f"~ n {sign} k", f"n {sign} - k"]
    texts += [f"z {sign} k ? n {sign} 2 : k {sign} 1", f"(int)n {sign} k"]
    for text, (is_known, expected) in zip(
        texts, compute_by_compiler(texts, tmp_path), strict=True
    ):
        if is_known and fits(expected):
            assert evaluate_here(text) == expected, text
