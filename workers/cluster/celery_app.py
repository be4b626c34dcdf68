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
_BROKER_SCHEMES: Final = ("redis", "rediss", "sentinel", "amqp", "amqps")
_TLS_OPTIONS: Final = (
    "ssl_cert_reqs",
    "ssl_ca_certs",
    "ssl_certfile",
    "ssl_keyfile",
)
_VERIFY_MODES: Final = {
    "required": ssl.CERT_REQUIRED,
    "optional": ssl.CERT_OPTIONAL,
    "none": ssl.CERT_NONE,
}


def make_celery_app(settings: Settings) -> Celery:
    """Return the app on the broker of `settings`.

    Raises `Misconfigured` where no broker is set, or one that Celery cannot use for this.
    """
    address = settings.broker.get_secret_value() if settings.broker else ""
    scheme = urlsplit(address).scheme
    if scheme not in _BROKER_SCHEMES:
        raise Misconfigured(
            "the setting `broker` names no Redis, Valkey or RabbitMQ: "
            "write redis://HOST/0 or amqp://HOST//",
            code="bad-broker",
        )

    app = Celery("kernelset", broker=address, set_as_current=False)
    app.conf.update(_make_configuration())

    # Celery understands TLS options in the address of a Redis, but not of a RabbitMQ
    if scheme == "amqps":
        app.conf.update(
            broker_url=urlsplit(address)._replace(query="").geturl(),
            broker_use_ssl=_parse_tls_options(address),
        )
    return app


def _parse_tls_options(address: str) -> dict[str, Any]:
    """Return the TLS options of a RabbitMQ address as Celery's `broker_use_ssl`.

    They are spelled as in a Redis address: `amqps://HOST//?ssl_ca_certs=FILE`.
    """
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query))
    unknown_options = sorted(set(options) - set(_TLS_OPTIONS))
    verification = options.pop("ssl_cert_reqs", "required")

    if unknown_options or verification not in _VERIFY_MODES:
        wrong_words = ", ".join(unknown_options) or verification
        raise Misconfigured(
            f"the setting `broker` has TLS options that do not exist ({wrong_words}): "
            f"there are {', '.join(_TLS_OPTIONS)}",
            code="bad-broker",
        )

    tls: dict[str, Any] = {}
    for name, value in options.items():
        tls[name.removeprefix("ssl_")] = value

    # a certificate proves little unless it is the certificate of the host that we asked for
    if verification == "required":
        tls["server_hostname"] = parts.hostname
    tls["cert_reqs"] = _VERIFY_MODES[verification]
    return tls


def _make_configuration() -> dict[str, Any]:
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
        # a message that waits in a busy worker is one that an idle worker does not get
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
