"""Compilers in the sandbox: what they see of a unit, and what comes back."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.model import Instantiation
from crawler.validate.toolchains.sandboxed_compiler import (
    COMPILE_LIMITS,
    compile_in_sandbox,
    compile_limits,
    read_regular_file,
)
from tests.plain import plain_unit


@pytest.mark.parametrize(
    ("instantiations", "seconds"), [(0, 120), (10, 130), (839, 959), (5000, 960)]
)
def test_each_instantiation_has_its_share_of_time(
    instantiations: int, seconds: int
) -> None:
    plain = Instantiation(arguments=(), label="")
    unit = plain_unit("", *[plain] * instantiations)
    limits = compile_limits(unit)
    assert limits.cpu_seconds == seconds
    assert limits.seconds == 5 * seconds
    assert limits.memory_bytes == COMPILE_LIMITS.memory_bytes


def test_a_result_that_is_no_plain_file_is_empty(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    link = tmp_path / "link"
    link.symlink_to(secret)
    os.mkfifo(tmp_path / "pipe")
    assert read_regular_file(secret) == b"secret"
    for name in ("link", "pipe", "none", "."):
        assert read_regular_file(tmp_path / name) == b""


COPY = ("/bin/sh", "-c", 'for last; do :; done; cat unit.cu > "$last"', "sh")


def test_a_compiler_sees_the_unit_and_its_object_comes_back() -> None:
    unit = replace(plain_unit(""), source="int caf\udce9;\n")
    compilation = compile_in_sandbox(unit, COPY)
    assert compilation.process.exit_code == 0, compilation.log
    assert compilation.object == b"int caf\xe9;\n"


def test_a_compiler_that_leaves_nothing_has_no_object() -> None:
    compilation = compile_in_sandbox(
        plain_unit("int x;"), ("/bin/sh", "-c", "echo no >&2; exit 3")
    )
    assert (compilation.process.exit_code, compilation.object) == (3, b"")
    assert "no" in compilation.log


def test_a_link_in_the_place_of_an_object_is_not_followed() -> None:
    script = 'for last; do :; done; ln -s /etc/hostname "$last"'
    compilation = compile_in_sandbox(plain_unit(""), ("/bin/sh", "-c", script, "sh"))
    assert compilation.object == b""
