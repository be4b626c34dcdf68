"""Images: linted, pinned, nobody's root, and what they start."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
IMAGES = sorted(DEPLOY.glob("Dockerfile.*"))
PROGRAMS = Path(sys.executable).parent


def instructions(image: Path) -> list[tuple[str, str]]:
    joined = re.sub(
        r"\\\n\s*", "", re.sub(r"^#.*\n", "", image.read_text(), flags=re.MULTILINE)
    )
    return [
        (line.split(" ", 1)[0], line.split(" ", 1)[1])
        for line in joined.splitlines()
        if line
    ]


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.suffix[1:])
def test_an_image_is_linted(image: Path) -> None:
    linter = PROGRAMS / "hadolint"
    if not linter.exists():
        pytest.skip("hadolint has no wheel for this machine")
    ended = subprocess.run(
        [linter, "--no-color", image], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "")


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.suffix[1:])
def test_an_image_stands_on_a_version_and_runs_as_nobody(image: Path) -> None:
    steps = instructions(image)
    bases = [value for name, value in steps if name == "FROM"]
    outer = [base for base in bases if not base.startswith("system")]
    assert len(outer) == 1
    assert re.search(r":(\d+\.\d+|\$\{\w+_VERSION\})", outer[0])
    assert all(
        re.search(r"=\d+\.\d+\.\d+", value)
        for name, value in steps
        if name == "ARG" and "=" in value
    )
    last = dict(steps)
    assert last["USER"] == "10001:10001"
    assert last["HEALTHCHECK"].endswith('CMD ["kernelset", "doctor", "--json"]')
    assert len(bases) == 3
    assert not [
        value
        for name, value in steps
        if name in {"ENV", "ARG"} and re.search("PASSWORD|TOKEN|SECRET", value)
    ]


def test_all_images_say_the_same_but_for_their_base() -> None:
    kinds = {
        image.suffix: [
            instruction
            for instruction in instructions(image)
            if instruction[0] in {"COPY", "USER", "ENTRYPOINT"}
        ]
        for image in IMAGES
    }
    assert set(kinds) == {".cpu", ".cuda", ".rocm"}
    assert kinds[".cpu"] == kinds[".cuda"] == kinds[".rocm"]


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.suffix[1:])
def test_what_an_image_copies_is_there_and_not_ignored(image: Path) -> None:
    sent = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = [
        value.split()[:-1]
        for name, value in instructions(image)
        if name == "COPY" and "--from" not in value
    ]
    for source in (source_word for words in copied for source_word in words):
        assert (ROOT / source).exists(), source
        assert source in sent, source


def pins(lock: Path) -> set[str]:
    return {
        line.removesuffix(" \\")
        for line in lock.read_text().splitlines()
        if re.match(r"\w", line)
    }


def test_an_image_installs_what_was_tested_and_nothing_for_development() -> None:
    tested, installed = (
        pins(ROOT / "requirements.lock"),
        pins(DEPLOY / "requirements.lock"),
    )
    names = {pin.split("==")[0] for pin in installed}
    assert {pin.split(" ")[0] for pin in installed} <= {
        pin.split(" ")[0] for pin in tested
    }
    assert {"celery", "hatchling", "libclang"} <= names
    assert not {"pytest", "mypy", "helm-python-sdk"} & names


def enter(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "kernelset").write_text('#!/bin/sh\necho "home $HOME"\necho "said $*"\n')
    (folder / "kernelset").chmod(0o755)
    return subprocess.run(
        ["sh", DEPLOY / "entrypoint", "crawl", "a b"],
        env={
            "PATH": f"{folder}:{os.environ['PATH']}",
            "TMPDIR": str(tmp_path),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_user_whom_the_image_does_not_know_gets_a_home(tmp_path: Path) -> None:
    ended = enter(tmp_path, HOME="/nonexistent", KERNELSET_HOME=str(tmp_path))
    home, words = ended.stdout.splitlines()
    assert Path(home.removeprefix("home ")).is_dir()
    assert words == "said crawl a b"


def test_a_home_that_cannot_be_written_to_is_said_at_once(tmp_path: Path) -> None:
    ended = enter(tmp_path, HOME=str(tmp_path), KERNELSET_HOME="/proc/nowhere")
    assert ended.returncode == 2
    assert "mount a folder there" in ended.stderr


def test_bootstrap_knows_its_options() -> None:
    def bootstrap(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [DEPLOY / "bootstrap", *words], capture_output=True, text=True, check=False
        )

    assert bootstrap("--chek").returncode == 2
    if not shutil.which("dpkg-query"):
        return
    check = bootstrap("--check", "--with", "no-such-package")
    assert check.returncode == 1
    assert check.stdout.rstrip().endswith("no-such-package")
    assert (
        "no-such-package"
        not in bootstrap(
            "--check", "--with", "no-such-package", "--without", "no-such-package"
        ).stdout
    )


def test_bootstrap_takes_an_npm_that_is_not_debians(tmp_path: Path) -> None:
    def list_missing(path: str) -> str:
        return subprocess.run(
            ["/bin/bash", DEPLOY / "bootstrap", "--check"],
            env={"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        ).stdout

    # no package is known there, as on a machine without apt
    (tmp_path / "grep").symlink_to("/bin/grep")
    assert " npm" in list_missing(str(tmp_path))
    (tmp_path / "npm").write_text("#!/bin/sh\n")
    (tmp_path / "npm").chmod(0o755)
    assert " npm" not in list_missing(str(tmp_path))


def scripts() -> list[Path]:
    files = [
        path
        for folder in (DEPLOY, ROOT / ".ci")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    return [path for path in files if path.read_bytes()[:2] == b"#!"]


@pytest.mark.parametrize(
    "script", scripts(), ids=lambda script: str(script.relative_to(ROOT))
)
def test_a_script_is_linted(script: Path) -> None:
    ended = subprocess.run(
        [PROGRAMS / "shellcheck", "-x", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "")
    assert os.access(script, os.X_OK)
