"""A port that a small trained model is asked about, which runs here: the same path as any model's."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from storage.open import open_storage
from tests.broken_port import TARGET, put_broken_port

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

PYTHON = Path(os.environ.get("TESTS_MODEL_PYTHON", "/nowhere"))
SERVER = Path(__file__).parents[2] / "servers/small_model.py"
pytestmark = [
    pytest.mark.apt("bwrap"),
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON.exists(),
        reason="TESTS_MODEL_PYTHON names no Python of `deploy/model-venv`",
    ),
]


@pytest.fixture
def address() -> Iterator[str]:
    """Give the address of a model that writes what it has learnt to."""
    server = subprocess.Popen([PYTHON, SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def test_what_a_trained_model_writes_is_judged_counted_and_kept(
    kernelset: Kernelset, address: str
) -> None:
    with open_storage(kernelset.home) as storage:
        put_broken_port(storage, kernelset.home)
    settings = {"endpoint": address, "model": "textgenrnn", "answer_tokens": 24}
    lines = [
        f"completion_{name} = {json.dumps(each)}" for name, each in settings.items()
    ]
    (kernelset.home / "kernelset.toml").write_text("\n".join(lines) + "\n")

    words = ("complete", "repair", "--targets", TARGET, "--attempts", 2)
    rows = kernelset.rows(*words)
    again = kernelset.rows(*words)

    # it is no programmer: what it writes compiles for nothing, and is kept as it is
    assert [row["verdict"] for row in rows] == ["broken", "broken"]
    assert [row["code"] for row in rows] == ["", ""]
    assert [len(row["answer"]) for row in rows] == [24, 24]
    assert len(set(rows[0]["answer"])) > 5
    # an answer, then a reflection and an answer
    assert [row["tokens_out"] for row in rows] == [24, 48]
    assert len(rows[1]["reflection"]) == 24
    assert rows[0]["messages"]
    assert {row["written_by"] for row in rows} == {"model"}
    # nothing is asked twice: the same words, the same times
    assert again == rows
