"""A server answers by the names that are its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from crawler.errors import Misconfigured
from storage.open import open_storage
from workers.config.settings import Settings
from workers.web.app import create_app
from workers.web.server import list_allowed_hosts

PUBLIC = "https://kernels.example.org"


@pytest.mark.parametrize(
    ("host", "web_address", "asked_by", "status"),
    [
        ("127.0.0.1", "", "127.0.0.1:8471", 200),
        ("127.0.0.1", "", "evil.example", 400),
        ("127.0.0.1", PUBLIC, "kernels.example.org", 200),
        ("127.0.0.1", PUBLIC, "localhost:8471", 200),
        ("127.0.0.1", PUBLIC, "evil.example", 400),
        ("0.0.0.0", PUBLIC + ":8443/", "kernels.example.org:8443", 200),
        ("0.0.0.0", PUBLIC, "127.0.0.1", 200),
        ("0.0.0.0", PUBLIC, "evil.example", 400),
        ("0.0.0.0", "", "any.example", 200),
    ],
)
def test_a_server_answers_by_its_own_names(
    tmp_path: Path, host: str, web_address: str, asked_by: str, status: int
) -> None:
    names = list_allowed_hosts(host, web_address)
    settings = Settings(home=tmp_path, web_address=web_address)
    with open_storage(tmp_path) as storage:
        client = TestClient(create_app(storage, settings, allowed_hosts=names))
        answer = client.get("/healthz", headers={"Host": asked_by})
    assert answer.status_code == status


@pytest.mark.parametrize("web_address", ["kernels.example.org", "http://[", "https://"])
def test_an_address_without_a_host_is_refused(web_address: str) -> None:
    with pytest.raises(Misconfigured, match="https://HOST"):
        list_allowed_hosts("127.0.0.1", web_address)
