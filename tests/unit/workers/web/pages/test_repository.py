"""The page of a repository says what was left out, and who does not want to be there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.web_client import RECORDS, fill_with_records, serving

REPO = RECORDS[0].provenance.repo


def test_what_was_left_out_is_said_with_why(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, storage):
        fork = replace(REPO, name="waves-fork", owner="waves")
        storage.source_memory.put_listing("github", "waves", [], [(fork, "fork")])
        listing = client.get("/repositories").text
        assert "passed-over: fork" in listing
        page = client.get("/repository", params={"name": fork.label}).text
        assert "passed-over, left out: fork" in page


def test_who_opted_out_is_named_and_nobody_else(tmp_path: Path) -> None:
    optouts = tmp_path / "optouts"
    optouts.write_text("github:waves\n")
    repos = [
        replace(
            REPO,
            source="github",
            owner=owner,
            id=owner,
            name="tide",
            url=f"https://github.com/{owner}/tide",
        )
        for owner in ("waves", "hills")
    ]
    with serving(tmp_path / "home", optouts=optouts) as (client, storage):
        for repo in repos:
            storage.source_memory.put_listing("github", repo.owner, [repo], [])
        assert client.get("/repositories").text.count("opted out") == 1
        pages = [
            client.get("/repository", params={"name": repo.label}).text
            for repo in repos
        ]
        assert "yes: it is left out of crawls and exports" in pages[0]
        assert "<dt>Opted out</dt><dd>no</dd>" in pages[1]


def test_commits_and_licences_lead_to_their_kernels(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, storage):
        fill_with_records(storage)
        page = client.get("/repository", params={"name": REPO.label}).text
        assert REPO.commit in page
        assert f"({REPO.source}, {REPO.licence.spdx})" in page
        assert "<h3>licence</h3>" in page
        assert "<h3>found_by</h3>" in page
