"""No source of the list brings a file of the host into an object or a message."""

from __future__ import annotations

import os

import pytest

from crawler.process_limits import Limits
from crawler.sandbox.work_folder import open_work_folder
from crawler.toolchains import discovery
from crawler.validate.toolchains.sandboxed_compiler import run_in_folder
from tests.integration.attacks.backends import open_reachable_folder
from tests.integration.attacks.sources import SOURCES

pytestmark = pytest.mark.apt("bwrap", "clang++-19")
SECRET = "hunter2-secret"
LIMITS = Limits(
    seconds=20,
    cpu_seconds=8,
    resident_bytes=512 << 20,
    file_bytes=8 << 20,
    scratch_bytes=32 << 20,
)


def compile_source(text: str, limits: Limits = LIMITS) -> tuple[bytes, str]:
    """Return the object and the messages of a source."""
    clang = discovery.find_clang()
    assert clang is not None
    with open_work_folder("build") as work:
        (work / "unit.cpp").write_text(text)
        words = (str(clang.path), "-c", "-std=c++20", "unit.cpp", "-o", "unit.o")
        ended = run_in_folder(words, work, output_file="unit.o", limits=limits)
        result = work / "unit.o"
        assert {path.name for path in work.iterdir()} <= {"unit.cpp", "unit.o"}
        assert not result.is_symlink()
        return result.read_bytes() if result.exists() else b"", ended.text


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_it_brings_nothing_out(
    name: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with open_reachable_folder() as folder:
        victim = folder / "private"
        victim.write_text(f"{SECRET} is not C++\n")
        text = SOURCES[name].replace("{victim}", str(victim))
        content, messages = compile_source(text.replace("{worker}", str(os.getpid())))

    assert SECRET.encode() not in content
    assert b"root:" not in content
    remaining_messages = messages.replace(SOURCES[name], "")
    assert f"{SECRET} is not" not in remaining_messages
    assert f"error: {SECRET}" not in remaining_messages


def test_a_file_of_its_own_is_brought(backend: str) -> None:
    """Else a compiler that does nothing would hold all of the above."""
    content, messages = compile_source('asm(".incbin \\"unit.cpp\\"");')
    assert b".incbin" in content, messages
    assert compile_source("int honest;")[0]
