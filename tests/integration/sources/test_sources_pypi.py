"""Package indexes on loopback: honest ones, ones that fail, and ones that lie."""

from __future__ import annotations

import hashlib
import io
import socket
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from crawler.errors import (
    BadArchive,
    CrawlError,
    NetworkDown,
    NotFound,
    RateLimited,
    TooLarge,
)
from crawler.model import Repo
from crawler.sources.interface import Limits, SourceOptions
from crawler.sources.package_index.index import get_index_client
from crawler.sources.package_index.pip_settings import read_pip_settings
from crawler.sources.providers.pypi import PLUGIN

LIMITS = Limits(seconds=30)
KERNEL = b"__global__ void k(float* x) { x[0] = 1; }\n"


def sdist(*names: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(KERNEL)
            archive.addfile(member, io.BytesIO(KERNEL))
    return packed.getvalue()


@dataclass
class Index:
    url: str
    pages: dict[str, bytes] = field(default_factory=dict)
    refuse: tuple[str, int] = ("/never", 0)
    """Paths that begin so get this status."""
    asked: list[str] = field(default_factory=list)

    def hold(self, *links: str) -> None:
        self.pages["/simple/waves/"] = "".join(
            f'<a href="{link}">x</a>' for link in links
        ).encode()


def forget() -> None:
    for cached in (read_pip_settings, get_index_client):
        cached.cache_clear()


@pytest.fixture(scope="module")
def server() -> Iterator[Index]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            package_index.asked.append(self.path)
            prefix, status = package_index.refuse
            body = package_index.pages.get(self.path, b"")
            self.send_response(
                status if self.path.startswith(prefix) else 200 if body else 404
            )
            self.send_header("Content-Type", "text/html")
            self.send_header("Retry-After", "7")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with (
        ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server,
        pytest.MonkeyPatch.context() as monkeypatch,
    ):
        package_index = Index(f"http://127.0.0.1:{server.server_port}/simple")
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {
            "CONFIG_FILE": "/dev/null",
            "INDEX_URL": package_index.url,
            "TRUSTED_HOST": "127.0.0.1",
        }.items():
            monkeypatch.setenv(f"PIP_{name}", value)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        forget()
        yield package_index
        server.shutdown()
    forget()


@pytest.fixture
def index(server: Index) -> Index:
    server.pages, server.refuse, server.asked = {}, ("/never", 0), []
    return server


def list_one(locator: str = "pypi:waves") -> Repo:
    (repo,) = PLUGIN.list(locator, SourceOptions(limits=LIMITS))
    return repo


def fail_to_list(locator: str = "pypi:waves") -> CrawlError:
    with pytest.raises(CrawlError, match=r": \w") as caught:
        list_one(locator)
    return caught.value


def test_the_newest_release_is_taken_and_wheels_are_not(
    index: Index, tmp_path: Path
) -> None:
    index.hold(
        "/f/waves-1.0.tar.gz", "/f/waves-1.2.tar.gz", "/f/waves-1.3-py3-none-any.whl"
    )
    index.pages["/f/waves-1.2.tar.gz"] = sdist("waves-1.2/a.cu")
    repo = list_one()
    assert (repo.name, repo.ref, repo.owner) == ("waves", "1.2", "")
    assert (
        PLUGIN.fetch(repo, tmp_path, SourceOptions(limits=LIMITS)).root
        == tmp_path / "waves-1.2"
    )
    assert (tmp_path / "waves-1.2" / "a.cu").read_bytes() == KERNEL
    assert fail_to_list("pypi:waves==1.3").code == "not-found"
    assert fail_to_list("pypi:waves>9").code == "not-found"


def test_an_index_that_gives_digests_is_believed_and_checked(
    index: Index, tmp_path: Path
) -> None:
    archive = sdist("waves-1.0/a.cu")
    digest = hashlib.sha256(archive).hexdigest()
    index.hold(f"/f/waves-1.0.tar.gz#sha256={digest}")
    index.pages["/f/waves-1.0.tar.gz"] = archive
    repo = list_one()
    assert repo.commit == f"sha256:{digest}"
    assert "/f/waves-1.0.tar.gz" not in index.asked
    index.pages["/f/waves-1.0.tar.gz"] = sdist("waves-1.0/evil.cu")
    with pytest.raises(BadArchive, match="list waves again"):
        PLUGIN.fetch(repo, tmp_path, SourceOptions(limits=LIMITS))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["/simple", "/f"])
@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (401, NotFound, "auth-required"),
        (429, RateLimited, "rate-limited"),
        (500, NetworkDown, "network-down"),
        (503, NetworkDown, "network-down"),
    ],
)
def test_a_refusal_is_not_taken_for_an_absence(
    index: Index, place: str, status: int, kind: type[CrawlError], code: str
) -> None:
    index.hold("/f/waves-1.0.tar.gz")
    index.refuse = (place, status)
    error = fail_to_list()
    assert (type(error), error.code) == (kind, code)
    if isinstance(error, RateLimited):
        assert error.retry_after == 7


def test_what_the_index_lacks_is_not_found(index: Index) -> None:
    assert fail_to_list("pypi:no-such-waves").code == "not-found"
    index.hold("/f/waves-1.0.tar.gz")
    assert fail_to_list().code == "not-found"
    index.hold("/f/waves-1.0-py3-none-any.whl")
    assert fail_to_list().code == "not-found"


@pytest.fixture
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let a test configure pip, and forget that afterwards."""
    yield monkeypatch
    monkeypatch.undo()
    forget()


def test_an_index_that_is_not_there_is_a_passing_fault(
    index: Index, asked_anew: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        asked_anew.setenv(
            "PIP_INDEX_URL",
            f"http://reader:secret@127.0.0.1:{free.getsockname()[1]}/simple",
        )
    forget()
    error = fail_to_list()
    assert (type(error), error.code, "secret" in str(error)) == (
        NetworkDown,
        "network-down",
        False,
    )


def test_a_download_over_the_limit_leaves_nothing(index: Index, tmp_path: Path) -> None:
    index.hold("/f/waves-1.0.tar.gz")
    index.pages["/f/waves-1.0.tar.gz"] = sdist("waves-1.0/a.cu")
    repo = list_one()
    with pytest.raises(TooLarge, match="raise the limit"):
        PLUGIN.fetch(
            repo, tmp_path, SourceOptions(limits=replace(LIMITS, download_bytes=50))
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [b"not an archive", sdist("waves-1.0/../../out"), sdist("waves-1.0/a.cu")[:60]],
    ids=["no archive", "a way out", "cut"],
)
def test_a_hostile_archive_leaves_nothing(
    index: Index, tmp_path: Path, content: bytes
) -> None:
    index.hold("/f/waves-1.0.tar.gz")
    index.pages["/f/waves-1.0.tar.gz"] = content
    repo = list_one()
    with pytest.raises(BadArchive, match=r": \w|refused"):
        PLUGIN.fetch(repo, tmp_path, SourceOptions(limits=LIMITS))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "link",
    [
        "/f/..%2f..%2fout%2fwaves-1.0.tar.gz",
        "http://[/waves-1.0.tar.gz",
        "file:///etc/passwd",
    ],
)
def test_a_link_that_points_elsewhere_writes_nowhere(
    index: Index, tmp_path: Path, link: str
) -> None:
    index.hold(link)
    assert fail_to_list().code in ("not-found", "network-down")


def test_an_index_cannot_name_a_file_of_this_machine(
    index: Index, tmp_path: Path
) -> None:
    (tmp_path / "waves-1.0.tar.gz").write_bytes(sdist("waves-1.0/private.cu"))
    index.hold((tmp_path / "waves-1.0.tar.gz").as_uri())
    assert fail_to_list().code == "not-found"


@pytest.mark.parametrize(
    "locator",
    ["pypi:", "pypi:../x", "pypi:-r x", "pypi:a b", "pypi:waves @ file:///etc/passwd"],
)
def test_what_names_no_package_asks_nobody(index: Index, locator: str) -> None:
    assert fail_to_list(locator).code in ("not-found", "bad-locator")
    assert index.asked == []


def test_a_folder_of_archives_serves_as_an_index(
    index: Index, tmp_path: Path, asked_anew: pytest.MonkeyPatch
) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "waves-2.0.tar.gz").write_bytes(
        sdist("waves-2.0/a.cu", "waves-2.0/b.cu")
    )
    asked_anew.setenv("PIP_FIND_LINKS", str(tmp_path / "links"))
    forget()
    repo = list_one("pypi:waves")
    (tmp_path / "out").mkdir()
    root = PLUGIN.fetch(repo, tmp_path / "out", SourceOptions(limits=LIMITS)).root
    assert (repo.ref, sorted(path.name for path in root.iterdir())) == (
        "2.0",
        ["a.cu", "b.cu"],
    )
