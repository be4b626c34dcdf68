"""Which brokers are taken, and how RabbitMQ's TLS is said in its address."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from pydantic import SecretStr

from crawler.errors import Misconfigured
from workers.cluster.celery_app import make_celery_app
from workers.config.settings import Settings


def make_settings(address: str) -> Settings:
    return Settings(home=Path("/nowhere"), broker=SecretStr(address))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "sqs://host",
        "filesystem://",
        "host:6379",
        "amqps://host//?ssl_cert_reqs=perhaps",
        "amqps://host//?ca_certs=file",
    ],
)
def test_what_is_no_broker_is_told(address: str) -> None:
    with pytest.raises(Misconfigured, match="the setting `broker`"):
        make_celery_app(make_settings(address))


def test_messages_are_json_and_nothing_else_is_taken() -> None:
    app = make_celery_app(make_settings("redis://host/0"))
    assert (app.conf.accept_content, app.conf.task_serializer) == (["json"], "json")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", {"cert_reqs": ssl.CERT_REQUIRED, "server_hostname": "host"}),
        (
            "?ssl_ca_certs=/a/file&ssl_cert_reqs=required",
            {
                "cert_reqs": ssl.CERT_REQUIRED,
                "ca_certs": "/a/file",
                "server_hostname": "host",
            },
        ),
        ("?ssl_cert_reqs=none", {"cert_reqs": ssl.CERT_NONE}),
    ],
)
def test_rabbitmq_s_tls_is_verified_unless_it_is_said_not_to_be(
    options: str, expected: dict[str, object]
) -> None:
    app = make_celery_app(make_settings(f"amqps://user:word@host:5671//{options}"))
    assert app.conf.broker_use_ssl == expected
    assert app.conf.broker_url == "amqps://user:word@host:5671//"
