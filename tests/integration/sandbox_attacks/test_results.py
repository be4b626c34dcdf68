"""Attacks by what is left to be read outside."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.sandbox_attacks.attack import SMALL, attack, mount_folder

pytestmark = pytest.mark.apt("bwrap")


def test_results_without_an_end(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "*")
    attack(
        "import os\nos.chdir('/work')\nfor number in range(8): open(str(number), 'wb').write(bytes(1 << 20))\n"
        "os.symlink('/dev/zero', 'endless')\nos.truncate('7', 1 << 40)",
        work,
        limits=replace(SMALL, file_bytes=4 << 20),
    )
    results = list((tmp_path / "work").iterdir())
    assert results
    assert sum(path.stat().st_size for path in results) <= 4 << 20


def test_results_with_names_that_do_something(tmp_path: Path) -> None:
    names = [
        "\x1b]0;owned\x07",
        "a\nb",
        "-rf",
        ".hidden",
        "..a",
        "caf\udce9",
        "a" * 200,
        "$(reboot)",
        "\u202eb",
        "plain-1.txt",
    ]
    attack(
        f"import os\nfor name in {names!r}: open(os.fsencode('/work/' + name), 'w').write('x')",
        mount_folder(tmp_path, "work", "*"),
    )
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == sorted(
        ["-rf", "..a", ".hidden", "plain-1.txt", "$(reboot)", "a" * 200]
    )


def test_a_tree_of_results_is_bounded_and_has_no_links(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "**")
    (tmp_path / "work/kept").write_text("given")
    attack(
        "import os\nos.makedirs('/work/a/b')\nopen('/work/a/b/file', 'w').write('made')\n"
        "os.symlink('/etc', '/work/etc')\nos.symlink('../../..', '/work/a/up')\nos.symlink('/', '/work/a/b/root')\n"
        "os.chdir('/work')\nfor _ in range(300): os.mkdir('d'); os.chdir('d'); open('f', 'w').write('x')\n",
        work,
    )
    results = list((tmp_path / "work").rglob("*"))
    assert not [path for path in results if path.is_symlink()]
    assert (tmp_path / "work/a/b/file").read_text() == "made"
    assert (tmp_path / "work/kept").read_text() == "given"
    assert 10 < max(len(path.relative_to(tmp_path).parts) for path in results) < 100


def test_results_are_there_when_the_time_was_up(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "result")
    ended = attack(
        "echo so far > /work/result; sleep 60",
        work,
        by="sh",
        limits=replace(SMALL, seconds=2),
    )
    assert ended.timed_out
    assert (tmp_path / "work/result").read_text() == "so far\n"


@pytest.mark.parametrize(
    "statement",
    [
        "os.symlink('/etc/shadow', 'result')",
        "os.symlink('../secret', 'result')",
        "os.symlink('/proc/1/environ', 'result')",
        "os.mkfifo('result')",
        "os.mkdir('result')",
        "os.symlink('result', 'result')",
    ],
)
def test_a_result_that_is_something_else(tmp_path: Path, statement: str) -> None:
    (tmp_path / "secret").write_text("hunter2-secret")
    work = mount_folder(tmp_path, "work", "result")
    attack(
        f"import os; os.chdir('/work'); {statement}",
        work,
        limits=replace(SMALL, seconds=3),
    )
    assert list((tmp_path / "work").iterdir()) == []


def test_only_what_was_asked_for_comes_out(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "result")
    (tmp_path / "work/source").write_text("ours")
    attack(
        "cd /work && echo theirs > source && echo more > extra && ln -s / link && mkdir -p a/b\n"
        "touch \"$(printf '\\033]0;title\\007\\n..')\" && cat source > result && chmod 6777 result",
        work,
        by="sh",
    )
    assert {path.name for path in (tmp_path / "work").iterdir()} == {"result", "source"}
    assert (tmp_path / "work/source").read_text() == "ours"
    result = tmp_path / "work/result"
    assert result.read_text() == "theirs\n"
    assert (result.stat().st_uid, result.stat().st_mode & 0o7777) == (
        os.geteuid(),
        0o755,
    )


def test_a_link_in_what_is_copied_in_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2-secret")
    work = mount_folder(tmp_path, "work", "result")
    (tmp_path / "work/link").symlink_to(tmp_path / "secret")
    tmp_path.chmod(0o755)
    ended = attack("cat /work/link; ls -l /work > /work/result", work, by="sh")
    assert "hunter2" not in ended.text
    assert "link ->" in (tmp_path / "work/result").read_text()
