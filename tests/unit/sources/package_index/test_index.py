from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from crawler.errors import CrawlError, NetworkDown, NotFound, RateLimited, TooLarge
from crawler.sources.interface import Limits
from crawler.sources.package_index.download import download
from crawler.sources.package_index.index import (
    _is_foreign_file,
    make_verification,
    raise_for_refusal,
)
from crawler.sources.package_index.pip_settings import read_pip_settings


@pytest.fixture
def pip_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    for name in ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX", "CERT"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    read_pip_settings.cache_clear()
    yield monkeypatch
    read_pip_settings.cache_clear()


def test_the_environment_names_the_indexes(pip_environment: pytest.MonkeyPatch) -> None:
    pip_environment.setenv("PIP_INDEX_URL", "https://one.example.org/simple")
    pip_environment.setenv("PIP_EXTRA_INDEX_URL", "https://two/simple https://three")
    pip_environment.setenv("PIP_TRUSTED_HOST", "one.example.org two")
    pip_environment.setenv("PIP_CERT", "/etc/authority.pem")
    settings = read_pip_settings()
    assert settings.index_urls == (
        "https://one.example.org/simple",
        "https://two/simple",
        "https://three",
    )
    assert settings.trusted_hosts == ("one.example.org", "two")
    assert settings.certificates == "/etc/authority.pem"


def test_a_file_of_pips_is_read(
    pip_environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://global/simple\n"
        "[install]\nindex-url = https://install/simple\nfind-links = /wheels /more\n"
    )
    pip_environment.setenv("PIP_CONFIG_FILE", str(file))
    settings = read_pip_settings()
    assert settings.index_urls == ("https://install/simple",)
    assert settings.find_links == ("/wheels", "/more")


def test_without_an_index_only_links_are_left(
    pip_environment: pytest.MonkeyPatch,
) -> None:
    pip_environment.setenv("PIP_INDEX_URL", "https://one/simple")
    pip_environment.setenv("PIP_NO_INDEX", "1")
    pip_environment.setenv("PIP_FIND_LINKS", "/wheels")
    settings = read_pip_settings()
    assert (settings.index_urls, settings.find_links) == ((), ("/wheels",))


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (401, NotFound, "auth-required"),
        (429, RateLimited, "rate-limited"),
        (500, NetworkDown, "network-down"),
        (503, NetworkDown, "network-down"),
    ],
)
def test_a_refusal_is_no_missing_file(
    status: int, kind: type[CrawlError], code: str
) -> None:
    with pytest.raises(kind) as caught:
        raise_for_refusal(httpx.Response(status))
    assert caught.value.code == code


@pytest.mark.parametrize(("header", "seconds"), [("7", 7), ("soon", 60), ("", 60)])
def test_a_server_may_say_how_long_to_wait(header: str, seconds: float) -> None:
    with pytest.raises(RateLimited) as caught:
        raise_for_refusal(httpx.Response(429, headers={"retry-after": header}))
    assert caught.value.retry_after == seconds


@pytest.fixture
def page_server() -> Iterator[str]:
    """Serve pages whose path is the status that they are answered with; yields the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status = int(self.path.strip("/"))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("status", [200, 304, 404, 410])
def test_what_says_whether_a_page_is_there_reaches_the_caller(
    page_server: str, status: int
) -> None:
    with httpx.Client(event_hooks={"response": [raise_for_refusal]}) as client:
        answer = client.get(f"{page_server}/{status}")
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("status", "kind"), [(401, NotFound), (429, RateLimited), (503, NetworkDown)]
)
def test_a_refusal_by_a_server_is_no_empty_page(
    page_server: str, status: int, kind: type[CrawlError]
) -> None:
    with (
        httpx.Client(event_hooks={"response": [raise_for_refusal]}) as client,
        pytest.raises(kind),
    ):
        client.get(f"{page_server}/{status}")


@pytest.mark.parametrize(
    ("is_file", "page", "is_foreign"),
    [
        (True, "https://example.org/simple/waves/", True),
        (True, "file:///wheels/index.html", False),
        (True, None, False),
        (False, "https://example.org/simple/waves/", False),
    ],
)
def test_an_index_elsewhere_may_not_name_a_file_here(
    is_file: bool, page: str | None, is_foreign: bool
) -> None:
    link = SimpleNamespace(is_file=is_file, comes_from=page)
    assert _is_foreign_file(link) is is_foreign


def test_the_systems_authorities_are_trusted_without_a_file() -> None:
    assert make_verification("") is True
    with pytest.raises(OSError, match="No such file"):
        make_verification("/absent.pem")


def test_a_file_of_this_machine_is_copied_within_the_limit(tmp_path: Path) -> None:
    archive = tmp_path / "waves-1.0.tar.gz"
    archive.write_bytes(b"content")
    link = SimpleNamespace(is_file=True, file_path=archive, filename=archive.name)
    target = tmp_path / "target"
    digest = download(link, target, Limits())
    assert digest == "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
    assert target.read_bytes() == b"content"
    with pytest.raises(TooLarge, match=r"waves-1\.0\.tar\.gz is over 3 bytes"):
        download(link, target, Limits(download_bytes=3))
