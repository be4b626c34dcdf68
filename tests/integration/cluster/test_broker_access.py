"""A broker that refuses us ends a verb; one that is away does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from celery import Celery

from crawler.errors import Misconfigured
from tests.servers.valkey import Valkey, serving
from workers.cluster.broker_access import require_broker_access


@pytest.fixture(scope="module")
def locked_valkey() -> Iterator[Valkey]:
    with serving() as server:
        server.ask("CONFIG", "SET", "requirepass", "secret")
        yield server


def make_app(address: str) -> Celery:
    return Celery("access", broker=address, set_as_current=False)


@pytest.mark.parametrize("login", ["", ":wrong@", "nobody:secret@"])
def test_a_wrong_password_is_told(locked_valkey: Valkey, login: str) -> None:
    address = f"redis://{login}127.0.0.1:{locked_valkey.port}/0"
    with pytest.raises(Misconfigured, match="mend the setting `broker`") as raised:
        require_broker_access(make_app(address))
    assert raised.value.code == "bad-credentials"


def test_the_right_password_is_let_in(
    locked_valkey: Valkey, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"redis://:secret@127.0.0.1:{locked_valkey.port}/0"
    require_broker_access(make_app(address))
    assert "broker-away" not in capsys.readouterr().err


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_a_broker_that_is_away_is_no_error_of_settings(
    scheme: str, capsys: pytest.CaptureFixture[str]
) -> None:
    require_broker_access(make_app(f"{scheme}://127.0.0.1:1/0"))
    assert "broker-away" in capsys.readouterr().err
