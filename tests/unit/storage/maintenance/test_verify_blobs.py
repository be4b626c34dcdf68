"""Blobs are read back and held against their digests, wherever they lie."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from storage.maintenance.verify_blobs import verify_blobs
from storage.open import open_storage
from workers.cli.app import app

CONTENTS = [b"blob %d" % number for number in range(450)]


def test_all_are_read_and_what_has_changed_is_named(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        digests = storage.blobs.put_many(CONTENTS)
        large = storage.blobs.put(b"large" * 40_000)
        assert verify_blobs(storage.engine, storage.blobs).corrupt == ()
        (loose,) = [
            path for path in (tmp_path / "blobs" / "loose").rglob("*") if path.is_file()
        ]
        loose.write_bytes(b"something else")
        result = verify_blobs(storage.engine, storage.blobs)
    assert result.blobs == len(digests) + 1
    assert [digest for digest, _ in result.corrupt] == [large]


def test_a_sample_is_a_share_of_all(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        storage.blobs.put_many(CONTENTS)
        assert 20 < verify_blobs(storage.engine, storage.blobs, 0.1).blobs < 80


def test_the_verb_says_so_and_ends_by_it(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        storage.blobs.put_many(CONTENTS)
    (pack,) = (tmp_path / "blobs" / "packs").iterdir()
    words = ["--home", str(tmp_path), "storage", "verify"]
    sound = CliRunner().invoke(app, words, standalone_mode=False)
    assert (sound.return_value, sound.stdout) == (0, "450 blobs read, 0 corrupt\n")
    pack.write_bytes(bytes(pack.stat().st_size))
    broken = CliRunner().invoke(app, [*words, "--json"], standalone_mode=False)
    assert broken.return_value == 1
    assert '"blobs":450' in broken.stdout.replace(" ", "")
