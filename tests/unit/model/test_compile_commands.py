"""The language standard of a command is the last one that it names."""

from __future__ import annotations

import pytest

from crawler.model import CompileCommand, Dialect, FlagsOrigin


@pytest.mark.parametrize(
    ("arguments", "standard"),
    [
        ((), ""),
        (("-O3",), ""),
        (("-std=c++17",), "c++17"),
        (("-std=c++14", "-O3", "-std=gnu++20"), "gnu++20"),
        (("-std=",), ""),
    ],
)
def test_the_last_standard_counts(arguments: tuple[str, ...], standard: str) -> None:
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=arguments,
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.EXPORTED,
    )
    assert command.standard == standard
