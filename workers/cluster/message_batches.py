"""Send many messages to a broker in one go, where it takes them so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any


@contextmanager
def send_at_once(channel: Any) -> Iterator[None]:
    """Hold what is published on a channel of Redis, and send it at the end; that of another broker
    is sent as it comes.

    A message by itself costs a client and a way to the server, which is more than all the rest.
    """
    client: Any = getattr(channel, "client", None)
    if not hasattr(client, "pipeline"):
        yield
        return

    pipeline = client.pipeline(transaction=False)
    write_message = channel._put

    def hold_message(*words: Any, **options: Any) -> None:
        # only what is written: an answer to a question would not be there yet
        channel.conn_or_acquire = lambda client=None: nullcontext(client or pipeline)
        try:
            write_message(*words, **options)
        finally:
            del channel.conn_or_acquire

    # a transport of Kombu writes each message by this method
    channel._put = hold_message
    try:
        yield
    finally:
        del channel._put
    pipeline.execute()
