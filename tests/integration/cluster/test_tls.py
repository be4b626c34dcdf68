"""Servers are reached over TLS by the options that docs/cluster.md names, and not if their
certificate is a stranger's.

Valkey's TLS is that of a relay in front of it, since the package's build has none; the others
bring their own.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from kombu.exceptions import OperationalError
from pydantic import SecretStr

from storage.blobs.bucket import Bucket, parse_bucket_address
from storage.errors import StoreUnavailable
from storage.open import open_storage, upgrade_postgres
from tests.servers import certificates, postgres, rabbitmq, rclone
from tests.servers.certificates import Certificates
from tests.servers.fleets.fleet import open_fleet
from tests.servers.fleets.trial import Trial
from tests.servers.postgres import Postgres
from tests.servers.s3 import S3
from tests.servers.valkey import Valkey
from workers.cluster.celery_app import make_celery_app
from workers.cluster.dispatcher import _queue_length
from workers.config.settings import Settings

KEYS = ("someone", "a-long-secret-word")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Of another authority."""
    return certificates.make(tmp_path_factory.mktemp("strange"))


@contextmanager
def relay(files: Certificates, port: int) -> Iterator[int]:
    """Answer TLS, and hand what it says to a port of loopback."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    listening = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError), source, sink:
            while data := source.recv(1 << 16):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_RDWR)

    def answer(plain: socket.socket) -> None:
        with suppress(OSError):
            client = context.wrap_socket(plain, server_side=True)
            behind = socket.create_connection(("127.0.0.1", port))
            threading.Thread(target=pump, args=(behind, client), daemon=True).start()
            pump(client, behind)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(
                    target=answer, args=(listening.accept()[0],), daemon=True
                ).start()

    threading.Thread(target=accept, daemon=True).start()
    yield int(listening.getsockname()[1])
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


def send_message(address: str, home: Path) -> int:
    """Send a message by the address of a broker, and return how many it holds then."""
    app = make_celery_app(Settings(home=home, broker=SecretStr(address)))
    with app.connection_for_write(connect_timeout=5) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0)
        _queue_length(connection.default_channel, "tls")
        app.send_task(
            "any",
            args=(1, 2),
            queue="tls",
            connection=connection,
            ignore_result=True,
            retry=False,
        )
        deadline = time.monotonic() + 10
        # RabbitMQ takes a message when it has told nobody yet that it did
        while (
            not (length := _queue_length(connection.default_channel, "tls"))
            and time.monotonic() < deadline
        ):
            time.sleep(0.05)
        connection.default_channel.queue_delete(queue="tls")
        return length


def test_a_broker_of_redis_s_kind(
    valkey: Valkey, files: Certificates, strange: Certificates, tmp_path: Path
) -> None:
    with relay(files, valkey.port) as port:
        address = f"rediss://127.0.0.1:{port}/0?ssl_cert_reqs=required&ssl_ca_certs="
        assert send_message(f"{address}{files.authority}", tmp_path) == 1
        with pytest.raises(OperationalError, match="certificate"):
            send_message(f"{address}{strange.authority}", tmp_path)


def test_postgres(files: Certificates, strange: Certificates, tmp_path: Path) -> None:
    port = rclone.free_port()
    names = {"ssl_cert_file": files.certificate, "ssl_key_file": files.key}
    secure = {"ssl": "on", "listen_addresses": "127.0.0.1", "port": str(port)}
    with postgres.serving(
        {**{name: str(path) for name, path in names.items()}, **secure}
    ) as server:
        server.run("CREATE DATABASE secure")
        address = f"postgresql://kernelset@127.0.0.1:{port}/secure?sslmode=verify-full&sslrootcert="
        upgrade_postgres(f"{address}{files.authority}")
        with (
            open_storage(tmp_path, database=f"{address}{files.authority}") as storage,
            storage.engine.connect() as connection,
        ):
            used = connection.exec_driver_sql(
                "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            ).scalar()
            assert used is True
        with pytest.raises(StoreUnavailable, match="SSL error"):
            open_storage(tmp_path, database=f"{address}{strange.authority}")


def test_a_bucket(
    files: Certificates,
    strange: Certificates,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "buckets" / "kernels").mkdir(parents=True)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS[0])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS[1])
    monkeypatch.setenv("AWS_CA_BUNDLE", str(files.authority))
    with rclone.serving(tmp_path / "buckets", KEYS, files) as address:
        bucket = parse_bucket_address(
            "s3://kernels/team", endpoint=address, region="us-east-1"
        )
        with open_storage(tmp_path / "home", bucket=bucket) as storage:
            digests = storage.blobs.put_many([b"one", b"another", b"large" * 40_000])
            assert storage.blobs.get(digests[2]) == b"large" * 40_000
        monkeypatch.setenv("AWS_CA_BUNDLE", str(strange.authority))
        with (
            open_storage(
                tmp_path / "home",
                bucket=Bucket(name="kernels", endpoint=address, attempts=1),
            ) as storage,
            pytest.raises(StoreUnavailable, match="CERTIFICATE_VERIFY_FAILED"),
        ):
            storage.blobs.put(b"more")


@pytest.mark.skipif(
    not rabbitmq.PROGRAM.is_file(), reason="apt's rabbitmq-server is not installed"
)
def test_rabbitmq_carries_a_crawl_s_messages(
    files: Certificates,
    strange: Certificates,
    tmp_path: Path,
    postgres: Postgres,
    s3: S3,
    new_bucket: Callable[..., Bucket],
    new_database: Callable[[], str],
) -> None:
    with rabbitmq.serving(tmp_path, files) as server:
        address = f"{server.secure}?ssl_cert_reqs=required&ssl_ca_certs="
        assert send_message(f"{address}{files.authority}", tmp_path) == 1
        with pytest.raises(OperationalError, match="certificate"):
            send_message(f"{address}{strange.authority}", tmp_path)
        with open_fleet(
            tmp_path / "home", postgres, server, s3, new_database(), new_bucket().name
        ) as fleet:
            trial_outcome = fleet.run(
                tasks=20, workers=1, mean=0.1, trial=Trial(kill_every=4.0), limit=120
            )
        assert trial_outcome.states == {"done": 20}, fleet.log.read_text()[-4000:]
        assert (
            trial_outcome.wrong_results,
            trial_outcome.repeated_tasks,
            trial_outcome.orphans,
        ) == (0, 0, 0)
