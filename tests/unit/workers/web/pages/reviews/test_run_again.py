"""A reviewer has a kernel run again; what has no cases cannot be."""

from __future__ import annotations

from pathlib import Path

from tests.web_client import (
    JSON,
    RECORDS,
    fill_with_records,
    log_in,
    put_launched_record,
    read_csrf,
    serving,
)

UNIT = next(record.kernel.unit.digest for record in RECORDS if record.kernel.unit)


def test_a_kernel_without_cases_is_said_to_have_none(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, storage):
        fill_with_records(storage)
        log_in(client, storage, "ada", "reviewer")
        form = {"csrf": read_csrf(client, f"/reviews/{UNIT}")}
        answer = client.post(f"/reviews/{UNIT}/run", data=form, headers=JSON)

    assert answer.status_code == 422
    assert answer.json()["code"] == "no-test"
    assert "--device cpu" in answer.json()["message"]


def test_an_unknown_unit_is_not_run(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, storage):
        fill_with_records(storage)
        log_in(client, storage, "ada", "reviewer")
        form = {"csrf": read_csrf(client, f"/reviews/{UNIT}")}

        assert client.post(f"/reviews/{'ab' * 32}/run", data=form).status_code == 404


def test_the_button_is_for_reviewers(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, storage):
        record = put_launched_record(storage)
        assert record.kernel.unit
        address = f"/reviews/{record.kernel.unit.digest}"
        assert "Run it again" not in client.get(address).text
        log_in(client, storage, "ada", "reviewer")
        assert "Run it again" in client.get(address).text


def test_no_button_leads_to_a_refusal(tmp_path: Path) -> None:
    with serving(tmp_path) as (client, storage):
        fill_with_records(storage)
        log_in(client, storage, "ada", "reviewer")
        page = client.get(f"/reviews/{UNIT}").text
        assert "Run it again" not in page
        assert "no run of it on a CPU has left cases" in page
