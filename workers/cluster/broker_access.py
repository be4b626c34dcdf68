"""Tell a broker that refuses us from one that is away."""

from __future__ import annotations

from typing import Final

from amqp.exceptions import AccessRefused, NotAllowed
from celery import Celery
from redis.exceptions import AuthenticationError

from crawler.errors import Misconfigured
from workers.execution.logs import get_logger

_REFUSALS: Final = (AuthenticationError, AccessRefused, NotAllowed)
_LOGGED_ERROR_LENGTH: Final = 300


def require_broker_access(app: Celery) -> None:
    """Raise `Misconfigured` where the broker refuses the user or the password that we have.

    Celery would try them for ever. A broker that is away is waited for by those who need it.
    """
    connection = app.connection_for_write()
    try:
        connection.connect()
    except _REFUSALS as error:
        raise Misconfigured(
            f"The broker refuses us ({' '.join(str(error).split())}):"
            " mend the setting `broker`.",
            code="bad-credentials",
        ) from error
    # each transport has exceptions of its own, e.g. those of Redis's client
    except (OSError, *connection.connection_errors) as error:
        reason = " ".join(str(error).split())
        get_logger().warning("broker-away", why=reason[:_LOGGED_ERROR_LENGTH])
    finally:
        connection.release()
