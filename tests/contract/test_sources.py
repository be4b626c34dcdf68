"""What every source promises: pinned, the same twice, nothing half-written, no credentials,
clear errors.
"""

from __future__ import annotations

import base64
import io
import re
import socket
import subprocess
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler import process
from crawler.codec import encode
from crawler.errors import CrawlError, Misconfigured, NotFound, TooLarge
from crawler.model import Repo
from crawler.plugins import load_plugins
from crawler.sources.interface import Limits, Source, SourceOptions
from crawler.sources.locator import find_source
from crawler.sources.options import GITHUB_API_URL
from crawler.sources.providers import pypi
from tests.servers.github.state import GitHub

if TYPE_CHECKING:
    from tests.conftest import GitProject, GitServer

pytestmark = pytest.mark.apt("git")

FILES = {
    "CMakeLists.txt": b"project(waves)\n",
    "src/wave.cu": b"__global__ void wave(float* x) { x[0] = 1; }\n",
    "src/wave.cuh": b"#pragma once\n",
    "docs/caf\xc3\xa9 notes.md".encode("latin-1").decode(): b"two words\n",
}
CHANGED = FILES | {"src/wave.cu": b"__global__ void other(float* x) { x[0] = 2; }\n"}
LIMITS = Limits(seconds=60)


@dataclass(frozen=True)
class Place:
    """A locator that names a real project, and what a test may do to that project."""

    locator: str
    absent: str
    name: str
    change: Callable[[], object]
    remove: Callable[[], object]
    github: str = GITHUB_API_URL


def sdist(files: dict[str, bytes], top: str = "waves-1.0/") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@dataclass
class Index:
    """A package index on loopback, with a password, and with one release."""

    url: str
    archive: bytes


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    word = "Basic " + base64.b64encode(b"reader:secret").decode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != word:
                self.send_error(401)
            elif self.path.startswith("/simple/waves/") and told.archive:
                self.reply(
                    b'<a href="/files/waves-1.0.tar.gz">waves-1.0.tar.gz</a>',
                    "text/html",
                )
            elif self.path.startswith("/files/") and told.archive:
                self.reply(told.archive, "application/gzip")
            else:
                self.send_error(404)

        def reply(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        told = Index(
            f"http://reader:secret@127.0.0.1:{server.server_port}/simple", sdist(FILES)
        )
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        monkeypatch.setenv("PIP_INDEX_URL", told.url)
        monkeypatch.setenv("PIP_TRUSTED_HOST", "127.0.0.1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        for cached in (pypi._pip_settings, pypi._client):
            cached.cache_clear()
        yield told
        server.shutdown()
    for cached in (pypi._pip_settings, pypi._client):
        cached.cache_clear()


@pytest.fixture
def from_index(index: Index) -> Place:
    def put(archive: bytes) -> None:
        index.archive = archive

    return Place(
        "pypi:waves==1.0",
        "pypi:no-such-waves",
        "waves",
        lambda: put(sdist(CHANGED)),
        lambda: put(b""),
    )


@pytest.fixture
def from_folder(tmp_path: Path) -> Place:
    folder = tmp_path / "waves"
    write(folder, FILES)
    (folder / "leak").symlink_to("/etc/passwd")
    (folder / ".git").mkdir()
    return Place(
        str(folder),
        str(tmp_path / "absent"),
        "waves",
        lambda: write(folder, CHANGED),
        lambda: folder.rename(tmp_path / "moved"),
    )


@pytest.fixture
def from_archive(tmp_path: Path) -> Place:
    path = tmp_path / "waves.zip"

    def put(files: dict[str, bytes]) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)

    put(FILES)
    return Place(
        f"local:{path}",
        f"{path}.tar.gz",
        "waves.zip",
        lambda: put(CHANGED),
        path.unlink,
    )


def git_place(project: GitProject, url: str) -> Place:
    project.commit(FILES)

    def remove() -> None:
        project.folder.rename(project.folder.with_name("moved"))

    return Place(
        url,
        url.replace("waves", "absent"),
        "waves",
        lambda: project.commit(CHANGED),
        remove,
    )


@pytest.fixture
def from_git_folder(git_project: Callable[..., GitProject]) -> Place:
    project = git_project("origin/owner/waves.git")
    return git_place(project, f"git+file://{project.folder}")


@pytest.fixture
def from_git_http(
    git_project: Callable[..., GitProject], git_server: GitServer
) -> Place:
    return git_place(
        git_project("origin/owner/waves.git"), f"{git_server.url}/owner/waves.git@main"
    )


@pytest.fixture
def from_git_daemon(
    git_project: Callable[..., GitProject], tmp_path: Path
) -> Iterator[Place]:
    project = git_project("origin/owner/waves.git")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    served = f"--base-path={tmp_path / 'origin'}"
    daemon = process.start(
        [
            "git",
            "daemon",
            "--export-all",
            "--listen=127.0.0.1",
            f"--port={port}",
            served,
        ],
        stdout=subprocess.DEVNULL,
    )
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.01)
    yield git_place(project, f"git://127.0.0.1:{port}/owner/waves.git")
    process.kill_group(daemon)


@pytest.fixture
def from_github(github: GitHub) -> Place:
    made = github.add("owner", "waves", FILES)
    return Place(
        "github:owner/waves",
        "github:owner/absent",
        "waves",
        lambda: github.push(made, CHANGED),
        lambda: github.remove(made),
        github.api,
    )


PLACES = {
    "pypi": ("from_index",),
    "local": ("from_folder", "from_archive"),
    "git": ("from_git_folder", "from_git_http", "from_git_daemon"),
    "github": ("from_github",),
}
EVERY = [name for names in PLACES.values() for name in names]


@pytest.fixture(params=EVERY)
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def source(place: Place) -> Source:
    return find_source(place.locator)


def listed(source: Source, place: Place) -> Repo:
    (repo,) = source.list(
        place.locator, SourceOptions(limits=LIMITS, github=place.github)
    )
    return repo


def fetched(
    source: Source, repo: Repo, folder: Path, limits: Limits = LIMITS
) -> dict[str, bytes]:
    folder.mkdir()
    root = source.fetch(repo, folder, SourceOptions(limits=limits)).root
    assert all(
        path.is_dir() or (path.is_file() and not path.is_symlink())
        for path in folder.rglob("*")
    )
    assert root.is_relative_to(folder)
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def refused(
    source: Source, repo: Repo, folder: Path, limits: Limits = LIMITS
) -> CrawlError:
    folder.mkdir()
    with pytest.raises(CrawlError) as caught:
        source.fetch(repo, folder, SourceOptions(limits=limits))
    assert list(folder.iterdir()) == []
    assert re.search(r": \w", str(caught.value)), "it ends with the next action"
    return caught.value


def test_every_source_is_tried_here() -> None:
    assert set(PLACES) == {
        source.name for source in load_plugins("crawler.sources.providers")
    }


@pytest.mark.parametrize(
    "source", load_plugins("crawler.sources.providers"), ids=lambda source: source.name
)
def test_its_example_is_its_own(source: Source) -> None:
    assert [
        each.name
        for each in load_plugins("crawler.sources.providers")
        if each.claims(source.example)
    ] == [source.name]


def test_one_source_alone_claims_a_locator(place: Place) -> None:
    assert (
        len(
            [
                each
                for each in load_plugins("crawler.sources.providers")
                if each.claims(place.locator)
            ]
        )
        == 1
    )


def test_a_listing_pins_and_says_the_same_twice(source: Source, place: Place) -> None:
    repo = listed(source, place)
    assert (repo.source, repo.name) == (source.name, place.name)
    assert re.fullmatch(r"[0-9a-f]{40}|sha256:[0-9a-f]{64}", repo.commit)
    assert listed(source, place) == repo


def test_a_fetch_gives_the_same_files_twice(
    source: Source, place: Place, tmp_path: Path
) -> None:
    repo = listed(source, place)
    assert fetched(source, repo, tmp_path / "one") == FILES
    assert fetched(source, repo, tmp_path / "two") == FILES


def test_what_changed_is_listed_anew_and_never_fetched_under_the_old_pin(
    source: Source, place: Place, tmp_path: Path
) -> None:
    before = listed(source, place)
    place.change()
    after = listed(source, place)
    assert after.commit != before.commit
    assert fetched(source, after, tmp_path / "new") == CHANGED
    if source.name in ("git", "github"):
        assert fetched(source, before, tmp_path / "old") == FILES
    else:
        assert refused(source, before, tmp_path / "old").code in (
            "changed",
            "bad-archive",
        )


def test_what_does_not_exist_is_not_found(source: Source, place: Place) -> None:
    with pytest.raises(NotFound, match=r": \w") as caught:
        listed(source, replace(place, locator=place.absent))
    assert caught.value.code == "not-found"


def test_what_went_away_leaves_nothing(
    source: Source, place: Place, tmp_path: Path
) -> None:
    repo = listed(source, place)
    place.remove()
    assert refused(source, repo, tmp_path / "gone").code in ("not-found", "vanished")


@pytest.mark.parametrize(
    "limits",
    [replace(LIMITS, files=2), replace(LIMITS, unpacked_bytes=60)],
    ids=["files", "bytes"],
)
def test_what_is_too_large_leaves_nothing(
    source: Source, place: Place, tmp_path: Path, limits: Limits
) -> None:
    error = refused(source, listed(source, place), tmp_path / "large", limits)
    assert isinstance(error, TooLarge)
    assert error.code == "too-large"


def test_a_file_that_is_too_large_is_left_out(
    source: Source, place: Place, tmp_path: Path
) -> None:
    limits = replace(LIMITS, file_bytes=20)
    if source.name == "local":
        (repo,) = source.list(place.locator, SourceOptions(limits=limits))
    else:
        repo = listed(source, place)
    small = {
        name: content
        for name, content in FILES.items()
        if len(content) <= limits.file_bytes
    }
    assert fetched(source, repo, tmp_path / "small", limits) == small


def test_nothing_that_is_kept_holds_credentials(source: Source, place: Place) -> None:
    repo = listed(source, place)
    assert b"secret" not in encode(repo)
    assert "@" not in repo.url


@pytest.mark.parametrize(
    "locator",
    [
        "git+https://reader:secret@example.org/owner/name.git@main",
        "https://secret@example.org/owner/name",
        "git+http://reader:s@secret@example.org/owner/name",
        "git+https://reader:pass/secret@example.org/owner/name",
        "ssh://reader:secret@example.org/owner/name",
        "reader:secret@example.org:owner/name",
        "HTTPS://reader:secret@example.org/owner/name",
        "pypi:waves @ https://reader:secret@example.org/waves-1.0.tar.gz",
        "nonsense://reader:secret@example.org/owner/name",
    ],
)
def test_a_locator_with_credentials_is_refused_and_not_repeated(locator: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        find_source(locator)
    assert caught.value.code == "credentials-in-locator"
    assert "secret" not in str(caught.value)
