"""Of no command on the list a word is left that loads, starts, reads or writes."""

from __future__ import annotations

import shlex

import pytest

from crawler.builds.commands.checkout_paths import CheckoutPathMapper
from crawler.builds.commands.normalise import normalise_command
from tests.integration.attacks.commands import COMMANDS

PATHS = CheckoutPathMapper("/src", "/src/build")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_nothing_of_it_is_handed_on(name: str) -> None:
    words = shlex.split(COMMANDS[name])
    arguments = normalise_command(words, PATHS, lambda _: None).arguments
    for argument in arguments:
        assert "evil" not in argument
        assert "/etc" not in argument
        assert "/root" not in argument


def test_what_is_honest_is_handed_on() -> None:
    words = shlex.split("clang++ -DA=1 -I/src/include -std=c++17 k.cu")
    arguments = normalise_command(words, PATHS, lambda _: None).arguments
    assert arguments == ["-DA=1", "-Iinclude", "-std=c++17"]
