"""The page is in the wheel, whole: who installs it builds nothing and fetches nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[4]
LIBRARY = "workers/web/static/pico"


def build(source: Path, target: str, out: Path, **environment: str) -> str:
    """Build a wheel or an sdist, and return what was said where it failed."""
    program = Path(sys.executable).parent / "hatchling"
    ended = subprocess.run(
        [program, "build", "--target", target, "--directory", out],
        cwd=source,
        env=environment or None,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout + ended.stderr if ended.returncode else ""


def list_members(folder: Path) -> set[str]:
    (wheel,) = folder.glob("*.whl")
    return set(ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an sdist of this checkout unpacks to."""
    folder = tmp_path_factory.mktemp("sdist")
    assert build(ROOT, "sdist", folder) == ""
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as members:
        members.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def test_a_wheel_holds_all_that_the_page_is_made_of(tmp_path: Path) -> None:
    assert build(ROOT, "wheel", tmp_path) == ""
    assets = {
        str(path.relative_to(ROOT))
        for folder in ("static", "templates")
        for path in (ROOT / "workers/web" / folder).rglob("*")
        if path.is_file()
    }
    assert {f"{LIBRARY}/{name}" for name in ("pico.min.css", "LICENSE.md")} <= assets
    assert len(assets) > 10
    assert assets <= list_members(tmp_path)


def test_the_component_library_is_the_release_that_is_locked() -> None:
    lock = json.loads((ROOT / "deploy/page/package-lock.json").read_text())
    release = lock["packages"]["node_modules/@picocss/pico"]
    assert (ROOT / LIBRARY / "integrity").read_text() == release["integrity"]
    banner = (ROOT / LIBRARY / "pico.min.css").read_text()[:200]
    assert f"v{release['version']} " in banner


def test_a_wheel_is_made_of_an_sdist_without_npm_or_a_network(
    sdist: Path, tmp_path: Path
) -> None:
    assert build(sdist, "wheel", tmp_path, PATH="/nonexistent") == ""
    assert f"{LIBRARY}/pico.min.css" in list_members(tmp_path)


@pytest.fixture(scope="module")
def bare(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that nobody set up."""
    folder = tmp_path_factory.mktemp("bare") / "checkout"
    shutil.copytree(sdist, folder, ignore=shutil.ignore_patterns("pico", "tests"))
    return folder


def test_no_wheel_is_made_without_the_library_and_it_is_said_what_to_do(
    bare: Path, tmp_path: Path
) -> None:
    said = build(bare, "wheel", tmp_path / "out", PATH="/nonexistent")
    assert "install npm" in said
    assert list(tmp_path.rglob("*.whl")) == []


def test_a_checkout_without_the_library_serves_pages_and_says_how_to_have_it(
    bare: Path, tmp_path: Path
) -> None:
    start = "import sys; from workers.cli import main; sys.exit(main())"
    server = subprocess.Popen(
        [sys.executable, "-P", "-c", start, "web", "--port", "0"],
        env={"PYTHONPATH": str(bare), "KERNELSET_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr
    try:
        address = server.stderr.readline().removeprefix("serving ").strip()
        assert "`make setup`" in server.stderr.readline()
        with urllib.request.urlopen(f"{address}kernels") as answer:
            page = answer.read().decode()
        assert "/static/kernelset.css" in page
        assert "pico" not in page
    finally:
        server.terminate()
        server.stderr.close()
        server.wait(30)
