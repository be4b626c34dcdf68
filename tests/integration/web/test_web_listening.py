"""Nothing is listened to beyond this machine unless it is said."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from storage.open import open_storage
from tests.servers.web import serving


@pytest.mark.parametrize(
    ("words", "heard_at"), [((), "127.0.0.1"), (("--host", "0.0.0.0"), "0.0.0.0")]
)
def test_a_page_listens_to_this_machine_alone_unless_another_host_is_said(
    tmp_path: Path, words: tuple[str, ...], heard_at: str
) -> None:
    with open_storage(tmp_path):
        pass
    with serving(tmp_path, *words) as address:
        (server,) = (
            process
            for process in psutil.Process().children(recursive=True)
            if str(urlsplit(address).port) in _list_ports(process)
        )
        places = {
            connection.laddr.ip
            for process in (server, *server.children(recursive=True))
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        }
    assert places == {heard_at}


def _list_ports(process: psutil.Process) -> set[str]:
    return {
        str(connection.laddr.port) for connection in process.net_connections("inet")
    }
