"""The component library of the page is brought as the lock pins it, by npm itself."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.servers.npm_registry import compute_integrity, make_package, serving

ROOT = Path(__file__).resolve().parents[3]
HOOK = ROOT / "deploy/page/build_hook.py"
NAME = "@picocss/pico"
VERSION = "2.1.1"
FILES = {
    "package.json": json.dumps({"name": NAME, "version": VERSION}),
    "css/pico.min.css": "main { color: red }",
    "css/pico.css": "main {\n  color: red\n}",
    "LICENSE.md": "MIT License",
}
ARCHIVE = make_package(FILES)

pytestmark = pytest.mark.apt("npm")


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("page_build_hook", HOOK)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def registry(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    monkeypatch.setenv("npm_config_cache", str(tmp_path_factory.mktemp("npm")))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with serving(NAME, VERSION, ARCHIVE) as address:
        monkeypatch.setenv("npm_config_registry", address)
        yield address


def plant_checkout(root: Path, integrity: str) -> Path:
    """Lay out what the hook looks at, and return the folder that the library goes to."""
    locks = root / "deploy/page"
    locks.mkdir(parents=True)
    wanted = {"name": "page", "dependencies": {NAME: VERSION}}
    (locks / "package.json").write_text(json.dumps(wanted))
    release = {"version": VERSION, "integrity": integrity}
    packages = {"": wanted, f"node_modules/{NAME}": release}
    lock = {"name": "page", "lockfileVersion": 3, "packages": packages}
    (locks / "package-lock.json").write_text(json.dumps(lock))
    static = root / "workers/web/static"
    static.mkdir(parents=True)
    return static / "pico"


def test_the_library_is_brought_with_its_licence(
    hook: ModuleType, registry: str, tmp_path: Path
) -> None:
    folder = plant_checkout(tmp_path, compute_integrity(ARCHIVE))
    hook.bring_library(tmp_path)
    contents = {path.name: path.read_text() for path in folder.iterdir()}
    assert contents == {
        "pico.min.css": FILES["css/pico.min.css"],
        "LICENSE.md": "MIT License",
        "integrity": compute_integrity(ARCHIVE),
    }


def test_what_is_not_what_the_lock_names_is_refused(
    hook: ModuleType, registry: str, tmp_path: Path
) -> None:
    folder = plant_checkout(tmp_path, compute_integrity(b"another archive"))
    with pytest.raises(hook.LibraryIsMissing, match="EINTEGRITY"):
        hook.bring_library(tmp_path)
    assert not folder.exists()


def test_what_is_there_is_not_fetched_again(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = plant_checkout(tmp_path, compute_integrity(ARCHIVE))
    folder.mkdir()
    (folder / "integrity").write_text(compute_integrity(ARCHIVE))
    monkeypatch.setenv("PATH", "")
    hook.bring_library(tmp_path)


def test_an_older_release_gives_way_to_the_one_of_the_lock(
    hook: ModuleType, registry: str, tmp_path: Path
) -> None:
    folder = plant_checkout(tmp_path, compute_integrity(ARCHIVE))
    folder.mkdir()
    (folder / "integrity").write_text(compute_integrity(b"an older one"))
    (folder / "pico.min.css").write_text("older")
    hook.bring_library(tmp_path)
    assert (folder / "pico.min.css").read_text() == FILES["css/pico.min.css"]


def test_without_npm_it_is_said_what_to_install(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant_checkout(tmp_path, compute_integrity(ARCHIVE))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(hook.LibraryIsMissing, match="deploy/bootstrap"):
        hook.bring_library(tmp_path)


def test_the_lock_pins_one_release_by_its_digest_and_names_no_server() -> None:
    lock = (ROOT / "deploy/page/package-lock.json").read_text()
    (release,) = (value for name, value in json.loads(lock)["packages"].items() if name)
    assert release["integrity"].startswith("sha512-")
    assert "http" not in lock
