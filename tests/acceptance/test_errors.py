"""What goes wrong is said in a line that ends with the next action, leaves nothing
half-written, and can be mended.
"""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt

KERNEL = b"__global__ void k(float* x) { x[0] = 1; }\n"


def archive(name: str = "p/a.cu") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as members:
        member = tarfile.TarInfo(name)
        member.size = len(KERNEL)
        members.addfile(member, io.BytesIO(KERNEL))
    return gzip.compress(packed.getvalue())


CORRUPT = {
    "cut": (archive()[:-20], "fetch it again"),
    "no archive": (b"<html>Not Found</html>", "fetch it again"),
    "climbing": (archive("../../a.cu"), "the archive is refused"),
}


def crawl_in_vain(
    kernelset: Kernelset, locator: object, *, exit_code: int, code: str, action: str
) -> None:
    """Crawl in vain: the code and the next action are said, no traceback is shown, and the home
    is sound.
    """
    ended = kernelset.run(
        "crawl", locator, "--targets", "sm_80", "--workers", 1, code=exit_code
    )
    assert f"[{code}]" in ended.stderr
    assert action in ended.stderr
    assert "Traceback" not in ended.stderr
    kernelset.sound()
    assert kernelset.run("query", code=4).stdout == ""


def goes_on(kernelset: Kernelset, locator: object) -> None:
    """Crawl again once it is mended."""
    kernelset.run("crawl", locator, "--targets", "sm_80", "--workers", 1)
    assert [(row["name"], row["pass_call"]) for row in kernelset.rows("query")] == [
        ("k", {"sm_80": "pass"})
    ]
    kernelset.sound()


def test_a_folder_without_kernels_ends_with_four(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    folder = tmp_path / "poems"
    folder.mkdir()
    (folder / "main.cpp").write_text("int main() {}\n")
    crawl_in_vain(
        kernelset, folder, exit_code=4, code="no-kernels", action="no kernel was found"
    )
    (folder / "a.cu").write_bytes(KERNEL)
    goes_on(kernelset, folder)


def test_a_folder_that_is_not_there(kernelset: Kernelset, tmp_path: Path) -> None:
    crawl_in_vain(
        kernelset,
        tmp_path / "absent",
        exit_code=1,
        code="not-found",
        action="check the path",
    )


@pytest.mark.parametrize("fault", CORRUPT)
def test_a_corrupt_archive(kernelset: Kernelset, tmp_path: Path, fault: str) -> None:
    content, action = CORRUPT[fault]
    (tmp_path / "p.tar.gz").write_bytes(content)
    crawl_in_vain(
        kernelset, tmp_path / "p.tar.gz", exit_code=1, code="bad-archive", action=action
    )
    assert {path.name for path in tmp_path.iterdir()} == {"home", "p.tar.gz"}
    if fault == "cut":
        (tmp_path / "p.tar.gz").write_bytes(archive())
        goes_on(kernelset, tmp_path / "p.tar.gz")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nonsense://",), "[unknown-locator]"),
        (("github:a/..",), "[bad-locator]"),
        (("pypi:a b",), "[bad-locator]"),
        ((".", "--targets", "abacus"), "[bad-target]"),
        ((".", "--targets", ""), "[bad-target]"),
        ((".", "--targets", "gfx9999"), "[no-compiler]"),
        ((".", "--workers", "0"), "kernelset crawl --help"),
        ((), "kernelset crawl --help"),
    ],
)
def test_what_cannot_be_meant_is_usage(
    kernelset: Kernelset, words: tuple[str, ...], message: str
) -> None:
    assert message in kernelset.run("crawl", *words, code=2).stderr


def test_what_cannot_be_meant_is_not_recorded(kernelset: Kernelset) -> None:
    kernelset.run("crawl", "github:a/..", code=2)
    assert kernelset.run("crawls", code=4).stdout == ""


def test_enqueue_without_a_cluster_names_the_verb_for_one_machine(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    refused = kernelset.run("enqueue", str(tmp_path), code=2)
    assert "[no-broker]" in refused.stderr
    assert "kernelset crawl" in refused.stderr
    assert "[no-broker]" in kernelset.run("refresh", "--queued", code=2).stderr
    assert kernelset.run("crawls", code=4).stdout == ""


def path_without_clang(folder: Path) -> str:
    """Return a PATH with the other programs that a crawl uses."""
    folder.mkdir()
    for name in ("bwrap", "cmake", "ninja", "git", "g++", "c++", "cc", "make", "sh"):
        program = shutil.which(name)
        assert program
        (folder / name).symlink_to(program)
    return str(folder)


def test_a_missing_compiler(
    kernelset: Kernelset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "a.cu").write_bytes(KERNEL)
    monkeypatch.setenv("PATH", path_without_clang(tmp_path / "bin"))
    crawl_in_vain(
        kernelset,
        folder,
        exit_code=2,
        code="no-compiler",
        action="run `deploy/bootstrap`",
    )
    assert kernelset.run("status").stdout.split() == ["units", "0"]
    assert "[no-compiler]" in kernelset.run("validate", folder / "a.cu", code=2).stderr
    findings = {
        finding["name"]: finding for finding in kernelset.rows("doctor", code=2)
    }
    assert (findings["clang"]["state"], findings["clang"]["remedy"]) == (
        "missing",
        "run `deploy/bootstrap`",
    )
    lacking = [
        name for name, finding in findings.items() if finding["state"] == "missing"
    ]
    spared = kernelset.rows(
        "doctor", *(word for name in lacking for word in ("--without", name))
    )
    assert {finding["state"] for finding in spared} == {"ok", "absent"}
    assert (
        "[bad-finding]" in kernelset.run("doctor", "--without", "clan", code=2).stderr
    )
    monkeypatch.undo()
    goes_on(kernelset, folder)
