"""The compatibility header means what CUDA means: run on the host, on a wave of 64 lanes,
against Python.
"""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from crawler import headers

SIMT = Path(__file__).resolve().parents[2] / "fixtures" / "simt"
WORD = 0xFFFFFFFF

pytestmark = pytest.mark.apt("g++")


def compile_and_run(name: str, folder: Path) -> list[str]:
    """Return the lines that a program over the header prints on this machine."""
    program = folder / name
    compiler = shutil.which("g++") or "g++"
    flags = [
        "-std=c++20",
        "-O1",
        "-pthread",
        f"-I{headers.ROOT / 'hip'}",
        f"-I{headers.ROOT / 'common'}",
        "-w",
    ]
    subprocess.run(
        [compiler, *flags, str(SIMT / f"{name}.cpp"), "-o", str(program)],
        check=True,
        timeout=120,
    )
    ended = subprocess.run(
        [str(program)], check=True, capture_output=True, text=True, timeout=60
    )
    return ended.stdout.splitlines()


@pytest.fixture(scope="module")
def word_lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return compile_and_run("words", tmp_path_factory.mktemp("simt"))


def test_words(word_lines: list[str]) -> None:
    lines = [
        [int(word) for word in line.split()] for line in word_lines if line[0].isdigit()
    ]
    assert len(lines) == 300
    for a, b, c, table, start, length, *results in lines:
        assert results == words(a, b, c, table, start, length)


def test_eight_bit_floats(word_lines: list[str]) -> None:
    lines = [line.split()[1:] for line in word_lines if line.startswith("fp8")]
    assert len(lines) == 256
    for code, e4m3, e5m2, between, saturated, overflowed, wide in lines:
        assert _same(float.fromhex(e4m3), _fp8(int(code), 4))
        assert _same(float.fromhex(e5m2), _fp8(int(code), 5))
        value = float.fromhex(between)
        assert int(saturated) == _nearest(value, 4, 0x7E), between
        assert int(overflowed) == _nearest(value, 4, 0x7F), between
        assert int(wide) == _nearest(value, 5, 0x7C), between


def test_eight_bit_floats_of_amd_have_one_nan_and_a_bias_of_one_more(
    word_lines: list[str],
) -> None:
    lines = [line.split()[1:] for line in word_lines if line.startswith("fnuz")]
    assert len(lines) == 256
    for code, own, wide, *back in lines:
        for bits, printed, again in ((4, own, back[0]), (5, wide, back[1])):
            expected = (
                math.nan
                if int(code) == 128
                else _number(int(code), 8, bits, (1 << (bits - 1)))
            )
            assert _same(float.fromhex(printed), expected)
            assert int(again) == int(code)


def test_rounding_modes_are_exact(word_lines: list[str]) -> None:
    lines = [line.split()[1:] for line in word_lines if line.startswith("rounded")]
    assert len(lines) == 300
    for words in lines:
        a, b, c = map(_exact, words[:3])
        wide, other = map(_exact, words[15:17])
        for first, true in ((3, a + b), (6, a * b), (9, a / b), (12, a * b + c)):
            assert _is_rounded(words[first : first + 3], true, 24), words
        for first, true in ((17, wide + other), (20, wide * other), (23, wide / other)):
            assert _is_rounded(words[first : first + 3], true, 53), words
        below, above, towards = map(_exact, words[26:29])
        assert below**2 <= c <= above**2
        assert towards == below
        assert above - below in (0, _step(below, 24))


def _exact(word: str) -> Fraction:
    return Fraction(float.fromhex(word))


def _is_rounded(words: Sequence[str], true: Fraction, bits: int) -> bool:
    """Tell whether these are the neighbours of a number, below and above it, and the one that
    is nearer to zero.
    """
    below, above, towards = map(_exact, words)
    apart = above - below in (0, _step(min(abs(below), abs(above)), bits))
    return (
        below <= true <= above
        and apart
        and (below == above) == (below == true)
        and towards == min(below, above, key=abs)
    )


def _step(value: Fraction, bits: int) -> Fraction:
    return Fraction(2) ** (math.frexp(float(value))[1] - bits)


def test_floats_of_four_and_six_bits(word_lines: list[str]) -> None:
    lines = [line.split()[1:] for line in word_lines if line.startswith("small")]
    assert len(lines) == 256
    for code, four, six, *back in lines:
        assert float.fromhex(four) == _number(int(code) & 15, 4, 2, 1)
        assert float.fromhex(six) == _number(int(code) & 63, 6, 3, 3)
        assert [int(word) for word in back] == [int(code) & 15, int(code) & 63]


def _number(code: int, width: int, exponent_bits: int, bias: int) -> float:
    mantissa_bits = width - 1 - exponent_bits
    size = code & ((1 << (width - 1)) - 1)
    exponent, mantissa = (
        size >> mantissa_bits,
        (size & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits),
    )
    value = (mantissa if exponent == 0 else 1 + mantissa) * 2.0 ** (
        max(exponent, 1) - bias
    )
    return -value if code >> (width - 1) else value


def _fp8(code: int, exponent_bits: int) -> float:
    mantissa_bits = 7 - exponent_bits
    exponent, mantissa = (
        (code & 127) >> mantissa_bits,
        code & ((1 << mantissa_bits) - 1),
    )
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent_bits == 5 and exponent == 31:
        size = math.nan if mantissa else math.inf
    elif exponent_bits == 4 and code & 127 == 127:
        size = math.nan
    elif exponent == 0:
        size = mantissa * 2.0 ** (1 - bias - mantissa_bits)
    else:
        size = (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
    return math.copysign(size, -1.0 if code & 128 else 1.0)


def _nearest(value: float, exponent_bits: int, overflow: int) -> int:
    """The code whose number is nearest, the even one of two; past half a step over the largest
    it is `overflow`.
    """
    largest = 0x7E if exponent_bits == 4 else 0x7B
    sign = 128 if math.copysign(1.0, value) < 0 else 0
    step = _fp8(largest, exponent_bits) - _fp8(largest - 1, exponent_bits)
    limit = _fp8(largest, exponent_bits) + step / 2
    if abs(value) > limit or (abs(value) == limit and largest & 1):
        return sign | overflow
    return sign | min(
        range(largest + 1),
        key=lambda code: (abs(_fp8(code, exponent_bits) - abs(value)), code & 1),
    )


def _same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or a == b


def words(a: int, b: int, c: int, table: int, start: int, length: int) -> list[int]:
    mask = ((1 << length) - 1) & WORD
    return [
        sum(
            (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i
            for i in range(32)
        ),
        _prmt(a, b, c),
        a >> start & mask if start < 32 else 0,
        (b & ~(mask << start) | (a & mask) << start) & WORD if start < 32 else b,
        _to_signed(
            sum(
                _to_signed(x, 8) * _to_signed(y, 8)
                for x, y in zip(_parts(a, 8), _parts(b, 8), strict=True)
            )
            + c
        ),
        (sum(x * y for x, y in zip(_parts(a, 8), _parts(b, 8), strict=True)) + c)
        & WORD,
        _to_signed(
            sum(
                _to_signed(_parts(a, 16)[i], 16) * _to_signed(_parts(b, 8)[2 + i], 8)
                for i in range(2)
            )
            + c
        ),
        _combine_parts(a, b, 8, lambda x, y: x + y),
        _combine_parts(
            a,
            b,
            8,
            lambda x, y: max(-128, min(127, _to_signed(x, 8) - _to_signed(y, 8))),
        ),
        _combine_parts(
            a, b, 16, lambda x, y: max(_to_signed(x, 16), _to_signed(y, 16))
        ),
        _combine_parts(a, b, 8, lambda x, y: 255 if x > y else 0),
        sum(abs(x - y) for x, y in zip(_parts(a, 8), _parts(b, 8), strict=True)),
    ]


def _prmt(low: int, high: int, selector: int) -> int:
    both = _parts(low, 8) + _parts(high, 8)
    result = 0
    for byte in range(4):
        select = selector >> 4 * byte
        chosen = both[select & 7]
        result |= ((255 if chosen & 128 else 0) if select & 8 else chosen) << 8 * byte
    return result


def _parts(word: int, bits: int) -> list[int]:
    return [word >> shift & ((1 << bits) - 1) for shift in range(0, 32, bits)]


def _combine_parts(a: int, b: int, bits: int, apply: Callable[[int, int], int]) -> int:
    pairs = zip(_parts(a, bits), _parts(b, bits), strict=True)
    return sum(
        (apply(x, y) & ((1 << bits) - 1)) << bits * index
        for index, (x, y) in enumerate(pairs)
    )


def _to_signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
