"""Messages of a round go to a broker at once, and each of them arrives."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from celery import Celery

from tests.servers import valkey
from workers.cluster.message_batches import send_at_once

NUMBERS = range(300)


@pytest.fixture(scope="module")
def broker() -> Iterator[valkey.Valkey]:
    with valkey.serving() as server:
        yield server


def publish(producer: Any, number: int) -> None:
    producer.publish([number], routing_key="work", serializer="json")


def read_queue(client: Any, name: str) -> list[int]:
    return [
        json.loads(base64.b64decode(json.loads(each)["body"]))[0]
        for each in reversed(client.lrange(name, 0, -1))
    ]


def test_all_arrive_in_their_order_at_the_end_alone(broker: valkey.Valkey) -> None:
    app = Celery(broker=broker.url, set_as_current=False)
    with closing(app.connection_for_write()) as connection:
        channel = connection.default_channel
        client = channel.client
        client.flushall()
        producer = app.amqp.Producer(connection)
        with send_at_once(channel):
            for number in NUMBERS:
                publish(producer, number)
            assert client.llen("work") == 0
            # what asks the server is answered meanwhile
            assert channel.queue_declare(queue="other").message_count == 0
        assert read_queue(client, "work") == list(NUMBERS)

        publish(producer, -1)
        assert read_queue(client, "work")[-1] == -1


def test_a_server_that_is_gone_is_an_error() -> None:
    with valkey.serving() as server:
        app = Celery(broker=server.url, set_as_current=False)
        with closing(app.connection_for_write()) as connection:
            sending = send_at_once(connection.default_channel)
            sending.__enter__()
            publish(app.amqp.Producer(connection), 1)
            server.stop()
            with pytest.raises(connection.connection_errors):
                sending.__exit__(None, None, None)


def test_another_broker_is_sent_each_as_it_comes() -> None:
    app = Celery(broker="memory://", set_as_current=False)
    with closing(app.connection_for_write()) as connection:
        channel = connection.default_channel
        with send_at_once(channel):
            publish(app.amqp.Producer(connection), 7)
            assert channel.queue_declare(queue="work").message_count == 1
