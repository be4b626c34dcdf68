"""Serve the application by uvicorn until a signal ends it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import uvicorn

from crawler.errors import Misconfigured
from storage.open import Storage
from workers.config.settings import Settings
from workers.web.app import create_app
from workers.web.middleware import SecurityHeaders
from workers.web.rendering import has_component_library

_NO_LIBRARY = (
    "the component library of the page is not in this checkout, so that pages look plain:"
    " `make setup` brings it, by npm"
)
_LOOPBACK_HOSTS = ("127.0.0.1", "localhost")


def serve_pages(
    storage: Storage,
    settings: Settings,
    host: str,
    port: int,
    *,
    announce: Callable[[str], None],
) -> None:
    """Serve pages, and announce their address once it is listened to.

    Raises `Misconfigured` where the address cannot be had.
    """
    allowed_hosts = list_allowed_hosts(host, settings.web_address)
    app = create_app(storage, settings, allowed_hosts=allowed_hosts)
    config = uvicorn.Config(
        # outermost, so that an unexpected error has them, too
        SecurityHeaders(app),
        log_level="warning",
        access_log=False,
        server_header=False,
        # without a proxy, whoever asks must not say where they ask from
        forwarded_allow_ips=None if settings.web_address else [],
        # a request that is larger is none of ours
        h11_max_incomplete_event_size=64 << 10,
        timeout_graceful_shutdown=5,
    )
    with _listen(host, port) as listener:
        bound_host, bound_port = listener.getsockname()[:2]
        shown_host = f"[{bound_host}]" if ":" in bound_host else bound_host
        announce(f"serving http://{shown_host}:{bound_port}/")
        if not has_component_library():
            announce(_NO_LIBRARY)
        uvicorn.Server(config).run(sockets=[listener])


def list_allowed_hosts(host: str, web_address: str) -> tuple[str, ...]:
    """Return the names by which a server at `host` answers, `*` for any.

    A page elsewhere must not reach this machine under a name of its own. Raises `Misconfigured`
    for an address that names no host.
    """
    if not web_address:
        return _LOOPBACK_HOSTS if host in _LOOPBACK_HOSTS else ("*",)

    try:
        public_host = urlsplit(web_address).hostname
    except ValueError:
        public_host = None
    if not public_host:
        raise Misconfigured(
            "the setting `web_address` names no host: give it as https://HOST",
            code="bad-address",
        )
    # also from the machine itself, as a check of its health does
    return tuple(dict.fromkeys((*_LOOPBACK_HOSTS, public_host)))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise Misconfigured(
            f"{host}:{port} cannot be listened at ({error.strerror}):"
            " give another --host or --port",
            code="bad-address",
        ) from None
