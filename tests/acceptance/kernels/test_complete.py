"""Ports repaired by a scripted model from the command line: wrong first, right after feedback;
bounded, recorded, resumable.
"""

from __future__ import annotations

import json
import shlex
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from storage.open import open_storage
from tests.broken_port import (
    BROKEN,
    RIGHT,
    SLOW,
    TARGET,
    WRONG,
    fence,
    put_broken_port,
)
from tests.servers.model import Reply, cut, hang, refuse, serve_model

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
KEY = "sk-not-to-be-seen-0123456789"
DOCUMENT = Path(__file__).parents[3] / "docs/completing.md"
(WORDS,) = (
    shlex.split(line)[1:]
    for line in DOCUMENT.read_text().splitlines()
    if line.startswith("kernelset complete repair --targets")
)
"""The command that the document shows."""


@pytest.fixture
def kernelset_with_repair(kernelset: Kernelset) -> Kernelset:
    """Give a home with a port that does not compile."""
    with open_storage(kernelset.home) as storage:
        put_broken_port(storage, kernelset.home)
    return kernelset


def set_model(kernelset: Kernelset, address: str, **more: object) -> None:
    values = {
        "endpoint": address,
        "key": KEY,
        "model": "scripted",
        "input_price": 2,
        "output_price": 10,
        "tries": 2,
        **more,
    }
    lines = [
        f"completion_{name} = {json.dumps(value)}" for name, value in values.items()
    ]
    (kernelset.home / "kernelset.toml").write_text("\n".join(lines) + "\n")


def repair(
    kernelset: Kernelset, *options: object, code: int = 0
) -> tuple[list[dict[str, Any]], str]:
    """Return the attempts, and what was said to a person."""
    ended = kernelset.run(*WORDS, *options, "--json", code=code, seconds=300)
    return [json.loads(line) for line in ended.stdout.splitlines()], ended.stderr


def hold_no_key(kernelset: Kernelset) -> None:
    for path in kernelset.home.rglob("*"):
        if path.is_file() and path.name != "kernelset.toml":
            assert KEY.encode() not in path.read_bytes(), path


def test_a_compile_error_and_a_wrong_result_are_repaired_and_asked_once(
    kernelset_with_repair: Kernelset,
) -> None:
    replies = [
        fence(BROKEN),
        "I named y for x.",
        fence(WRONG),
        "I left one out.",
        fence(RIGHT),
    ]
    with serve_model(*replies) as (address, model):
        set_model(kernelset_with_repair, address)
        rows, output = repair(kernelset_with_repair)
        again, said_again = repair(kernelset_with_repair)

    assert [row["verdict"] for row in rows] == ["broken", "wrong", "right"]
    assert [row["number"] for row in rows] == [1, 2, 3]
    assert [row["reflection"] for row in rows] == ["", *replies[1::2]]
    assert {row["written_by"] for row in rows} == {"model"}
    assert [row["pass_call"] for row in rows] == [
        {TARGET: "fail"},
        {TARGET: "pass"},
        {TARGET: "pass"},
    ]
    assert [row["pass_exe"] for row in rows] == [{}, {"cpu": "fail"}, {"cpu": "pass"}]
    assert "identifier 'y'" in rows[0]["messages"]
    assert rows[2]["source"] == RIGHT
    assert (rows[1]["tokens_in"], rows[1]["tokens_out"]) == (200, 20)
    assert rows[1]["cost"] == pytest.approx((200 * 2 + 20 * 10) / 1e6)

    # what was wrong goes back to the model, and what it thought of it
    retry = model.requests[2]["messages"]
    assert [turn["role"] for turn in retry] == ["system", "user", "assistant", "user"]
    assert "identifier 'y'" in retry[3]["content"]
    assert "I named y for x." in retry[3]["content"]
    assert "5 questions asked" in output

    file = kernelset_with_repair.home / "attempts.jsonl"
    kernelset_with_repair.run("export", "attempts", file, "--licence", "any")
    exported = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["verdict"] for row in exported] == ["broken", "wrong", "right"]
    assert {row["written_by"] for row in exported} == {"model"}

    debug = kernelset_with_repair.home / "debug"
    kernelset_with_repair.run(
        "export", "debug", debug, "--format", "folder", "--licence", "any"
    )
    (folder,) = [path for path in debug.iterdir() if path.is_dir()]
    assert (folder / "candidate_call_fix").read_text() == WRONG
    assert (folder / "candidate_exe_fix").read_text() == RIGHT
    assert "I left one out." in (folder / "reflection_strategy.md").read_text()
    (memory,) = json.loads((folder / "_mem.json").read_text()).values()
    assert (memory["pass_call"], memory["pass_exe"]) == (True, True)

    assert again == rows
    assert len(model.requests) == 5
    assert "0 questions asked" in said_again
    hold_no_key(kernelset_with_repair)
    kernelset_with_repair.sound()


def test_a_slow_kernel_is_repaired(kernelset: Kernelset) -> None:
    with open_storage(kernelset.home) as storage:
        put_broken_port(storage, kernelset.home, SLOW)
    unlike = SLOW.replace("k = 0", "k = -1")
    with serve_model(fence(unlike), "It looks for itself.", fence(RIGHT)) as (
        address,
        model,
    ):
        set_model(kernelset, address)
        rows, _ = repair(kernelset)

    assert [row["verdict"] for row in rows] == ["slow", "right"]
    assert [row["pass_exe"] for row in rows] == [{"cpu": "pass"}, {"cpu": "pass"}]
    assert [row["pass_perf"] for row in rows] == [{"cpu": "fail"}, {"cpu": "pass"}]
    opening, retry = (model.requests[at]["messages"] for at in (0, 2))
    assert "rocm:gfx90a: slower: 3 ms" in opening[1]["content"]
    assert "it is right, and takes too many steps" in retry[3]["content"]

    debug = kernelset.home / "debug"
    kernelset.run("export", "debug", debug, "--format", "folder", "--licence", "any")
    (folder,) = [path for path in debug.iterdir() if path.is_dir()]
    assert (folder / "candidate_exe_fix").read_text() == unlike
    assert (folder / "candidate_perf_fix_1").read_text() == RIGHT


def test_after_a_kill_nothing_that_was_answered_is_asked_again(
    kernelset_with_repair: Kernelset,
) -> None:
    with serve_model(fence(BROKEN), hang, "I named y for x.", fence(RIGHT)) as (
        address,
        model,
    ):
        set_model(kernelset_with_repair, address)
        child = kernelset_with_repair.start(*WORDS)
        until = time.monotonic() + 120
        while len(model.requests) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=30)
        rows, _ = repair(kernelset_with_repair)

    assert [row["verdict"] for row in rows] == ["broken", "right"]
    # the one that was under way when it was killed had no answer
    assert model.requests[1] == model.requests[2]
    openings = [request["messages"] for request in model.requests]
    assert openings.count(openings[0]) == 1
    assert len(model.requests) == 4


def test_an_endpoint_that_fails_is_a_row_and_the_next_run_goes_on(
    kernelset_with_repair: Kernelset,
) -> None:
    busy = refuse(429, "slow down", retry_after="600")
    with serve_model(busy, fence(RIGHT)) as (address, _):
        set_model(kernelset_with_repair, address)
        failed, output = repair(kernelset_with_repair, code=1)
        rows, _ = repair(kernelset_with_repair)

    assert [(row["code"], row["number"]) for row in failed] == [("endpoint-busy", 1)]
    assert "slow down" in failed[0]["problem"]
    assert "endpoint-busy" in output
    assert [(row["verdict"], row["number"]) for row in rows] == [("right", 1)]
    hold_no_key(kernelset_with_repair)


def test_an_endpoint_that_fails_in_every_way_is_asked_until_it_answers(
    kernelset_with_repair: Kernelset,
) -> None:
    failing: list[str | Reply] = [
        hang,
        refuse(200, "<html>rubbish"),
        cut,
        refuse(500, "out of memory"),
        refuse(429, "slow down", retry_after="1"),
    ]
    replies = [fence(BROKEN), *failing, "I named y for x.", fence(RIGHT)]
    with serve_model(*replies) as (address, model):
        set_model(kernelset_with_repair, address, seconds=2, tries=6)
        rows, _ = repair(kernelset_with_repair)
        assert repair(kernelset_with_repair)[0] == rows

    assert [row["verdict"] for row in rows] == ["broken", "right"]
    assert rows[1]["reflection"] == "I named y for x."
    # the same question until it is answered, and no other twice
    assert len(model.requests) == len(replies)
    assert all(request == model.requests[1] for request in model.requests[2:7])
    assert len({json.dumps(request) for request in model.requests}) == 3
    # what nobody answered is not paid for
    assert (rows[1]["tokens_in"], rows[1]["tokens_out"]) == (200, 20)


def test_the_budget_stops_it_before_it_is_passed(
    kernelset_with_repair: Kernelset,
) -> None:
    with serve_model(fence(BROKEN)) as (address, model):
        set_model(kernelset_with_repair, address, answer_tokens=1000)
        rows, output = repair(kernelset_with_repair, "--tokens", 2900, code=1)
        assert [row["verdict"] for row in rows] == ["broken"]
        assert len(model.requests) == 1
        assert "stopped: 110 of 2900 tokens are spent" in output

        rows, output = repair(kernelset_with_repair, "--money", "0.001", code=1)
        assert len(rows) == 1
        assert len(model.requests) == 1
        assert "raise `completion_money`" in output


def test_a_kernel_is_described_in_columns_of_its_own(
    kernelset_with_repair: Kernelset,
) -> None:
    words = "# Instruction\nWrite `blend`.\n# Description\nIt doubles and adds."
    with serve_model(words, "ACCEPT: it is true.") as (address, model):
        set_model(kernelset_with_repair, address, vetting_model="second")
        (row,) = kernelset_with_repair.rows("complete", "describe")
        assert kernelset_with_repair.rows("complete", "describe") == [row]

    assert (row["verdict"], row["messages"]) == ("vetted", "it is true.")
    assert (row["written_by"], row["purpose"]) == ("model", "describe")
    # the one of a vetting is asked by another name
    assert [request["model"] for request in model.requests] == ["scripted", "second"]

    for view in ("complete", "instruct"):
        file = kernelset_with_repair.home / f"{view}.jsonl"
        kernelset_with_repair.run("export", view, file, "--licence", "any")
        (exported,) = [json.loads(line) for line in file.read_text().splitlines()]
        assert exported.pop("model_description") == {
            "written_by": "model",
            "model": "scripted",
            "instruction": "Write `blend`.",
            "description": "It doubles and adds.",
            "vetted_by": "second",
            "vetting": "it is true.",
        }
        assert "doubles and adds" not in json.dumps(exported)
    hold_no_key(kernelset_with_repair)


def test_without_a_model_it_says_what_to_set(kernelset_with_repair: Kernelset) -> None:
    ended = kernelset_with_repair.run(*WORDS, code=2)
    assert "KERNELSET_COMPLETION_ENDPOINT" in ended.stderr
    assert "no-model" in ended.stderr
    (row,) = kernelset_with_repair.rows(*WORDS, "--dry-run")
    assert row["has_cases"] is True
    assert "identifier 'y'" in row["problem"]
