"""Who asked for what is kept, for each verb that changes something, and can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.workers.cli.crawls.test_crawl_states import open_crawl
from workers.cli.exit_codes import DONE, NOTHING

if TYPE_CHECKING:
    from tests.unit.workers.cli.conftest import CommandLine


@pytest.fixture(autouse=True)
def _requester(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELSET_REQUESTER", "ada")


@pytest.mark.parametrize(
    ("verb", "options", "subject"),
    [
        ("pause", "CRAWL", ""),
        ("resume", "CRAWL", ""),
        ("cancel", "CRAWL", ""),
        ("retry", "--code network-down --crawl CRAWL", "network-down"),
        ("purge", "", ""),
        ("storage gc", "--grace 48", "grace 48 h"),
        ("storage expire", "--days 30 --yes", "ended 30 days ago"),
        ("token add", "bob --role reader", "bob reader"),
        ("token revoke", "bob", "bob"),
    ],
)
def test_who_asked_for_a_change_is_kept(
    kernelset: CommandLine, verb: str, options: str, subject: str
) -> None:
    crawl = open_crawl(kernelset, "a")
    kernelset.run(*verb.split(), *options.replace("CRAWL", crawl).split())
    (row,) = kernelset.run("audit", "--json").rows
    assert row.pop("asked_at").endswith("+00:00")
    assert row == {
        "asked_by": "ada",
        "verb": verb,
        "crawl": crawl if "CRAWL" in options else "",
        "subject": subject,
    }


@pytest.mark.parametrize(
    "words",
    ["storage gc --dry-run", "storage expire", "crawls", "token list", "status"],
)
def test_who_only_looks_leaves_nothing(kernelset: CommandLine, words: str) -> None:
    kernelset.run(*words.split())
    answer = kernelset.run("audit")
    assert (answer.code, answer.out) == (NOTHING, "")
    assert "nothing of that was asked for yet" in answer.err


def test_it_is_narrowed_and_the_last_come_first(
    kernelset: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = open_crawl(kernelset, "a")
    kernelset.run("pause", crawl)
    kernelset.run("retry")
    monkeypatch.setenv("KERNELSET_REQUESTER", "bob")
    kernelset.run("resume", crawl)

    def verbs(*options: str) -> list[str]:
        return [row["verb"] for row in kernelset.run("audit", *options, "--json").rows]

    assert verbs() == ["resume", "retry", "pause"]
    assert verbs("--limit", "2") == ["resume", "retry"]
    assert verbs("--by", "ada") == ["retry", "pause"]
    assert verbs("--crawl", crawl) == ["resume", "pause"]
    assert verbs("--verb", "retry") == ["retry"]

    table = kernelset.run("audit", "--verb", "retry")
    assert table.code == DONE
    header, row = table.out.splitlines()
    assert header.split() == ["asked", "by", "verb", "crawl", "of"]
    assert row.split()[2:5] == ["ada", "retry", "-"]


def test_without_a_name_the_login_s_counts(
    kernelset: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KERNELSET_REQUESTER")
    monkeypatch.setenv("LOGNAME", "ola")
    kernelset.run("retry")
    assert kernelset.run("audit", "--json").rows[0]["asked_by"] == "ola"


def test_a_hostile_subject_is_printed_as_text(kernelset: CommandLine) -> None:
    with kernelset.open() as storage:
        storage.requests.record("crawl", "ada", subject="\x1b[2Jevil\nfailed")
    out = kernelset.run("audit").out
    assert "\x1b" not in out
    assert len(out.splitlines()) == 2
