"""The Celery app: JSON messages of two numbers, no results, queues created on first use."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from celery import Celery

from crawler.errors import Misconfigured

if TYPE_CHECKING:
    from workers.config.settings import Settings

TASK_NAME: Final = "kernelset.run"
_BROKERS: Final = ("redis", "rediss", "sentinel", "amqp", "amqps")
_TLS: Final = ("cert_reqs", "ca_certs", "certfile", "keyfile")
_VERIFIED: Final = {
    "required": ssl.CERT_REQUIRED,
    "optional": ssl.CERT_OPTIONAL,
    "none": ssl.CERT_NONE,
}


def make_celery_app(settings: Settings) -> Celery:
    """Return the app on the broker of `settings`; raises `Misconfigured` where none is set, or
    one that cannot do.
    """
    address = settings.broker.get_secret_value() if settings.broker else ""
    if urlsplit(address).scheme not in _BROKERS:
        raise Misconfigured(
            "the setting `broker` names no Redis, Valkey or RabbitMQ: write redis://HOST/0 or amqp://HOST//",
            code="bad-broker",
        )
    app = Celery("kernelset", broker=address, set_as_current=False)
    app.conf.update(_configuration())
    if urlsplit(address).scheme == "amqps":
        app.conf.update(
            broker_url=urlsplit(address)._replace(query="").geturl(),
            broker_use_ssl=_secured(address),
        )
    return app


def _secured(address: str) -> dict[str, Any]:
    """Return how RabbitMQ is spoken to, said in its address by the words that Celery itself
    takes for Redis alone.
    """
    said = dict(parse_qsl(urlsplit(address).query))
    unknown = sorted(set(said) - {f"ssl_{name}" for name in _TLS})
    reqs = said.pop("ssl_cert_reqs", "required")
    if unknown or reqs not in _VERIFIED:
        raise Misconfigured(
            f"the setting `broker` has TLS options that do not exist ({', '.join(unknown) or reqs}): "
            f"there are {', '.join(f'ssl_{name}' for name in _TLS)}",
            code="bad-broker",
        )
    named = (
        {"server_hostname": urlsplit(address).hostname} if reqs == "required" else {}
    )
    return (
        {name.removeprefix("ssl_"): value for name, value in said.items()}
        | named
        | {"cert_reqs": _VERIFIED[reqs]}
    )


def _configuration() -> dict[str, Any]:
    return {
        "task_serializer": "json",
        "accept_content": ["json"],
        "event_serializer": "json",
        "result_backend": None,
        "task_ignore_result": True,
        "task_store_errors_even_if_ignored": False,
        # the ledger knows what is done: a message that is gone is sent again, one that comes
        # twice does nothing
        "task_acks_late": False,
        "task_reject_on_worker_lost": False,
        "worker_prefetch_multiplier": 1,
        "worker_disable_prefetch": True,
        "task_create_missing_queues": True,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "worker_enable_remote_control": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_transport_options": {
            # Redis would be told twice of each message, for a copy that nobody needs
            "ack_emulation": False,
            "socket_timeout": 30,
            "socket_keepalive": True,
            "health_check_interval": 30,
        },
    }
