"""The failure playbook of docs/operating.md knows every stable code, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stable_codes import RETURNING, ROOT, codes

PLAYBOOK = (
    (ROOT / "docs" / "operating.md").read_text().partition("## Failure playbook")[2]
)
ROWS = re.findall(
    r"^\| (`[a-zA-Z0-9`, -]+`) \| ([^|]+) \| ([^|]+) \|$", PLAYBOOK, re.MULTILINE
)
DOCUMENTED = [code for cell, _, _ in ROWS for code in re.findall(r"`([\w-]+)`", cell)]


def test_every_code_has_one_row() -> None:
    missing = codes() - set(DOCUMENTED)
    assert not missing, (
        f"add to the failure playbook of docs/operating.md: {', '.join(sorted(missing))}"
    )
    assert len(DOCUMENTED) == len(set(DOCUMENTED))


def test_no_row_is_of_a_code_that_nothing_gives() -> None:
    sources = "".join(
        path.read_text()
        for part in ("crawler", "storage", "workers")
        for path in (ROOT / part).rglob("*.py")
    )
    assert [code for code in DOCUMENTED if f'"{code}"' not in sources] == ["port-CLASS"]


def test_every_row_says_what_to_do() -> None:
    assert all(len(meaning) > 4 and len(advice) > 4 for _, meaning, advice in ROWS)


@pytest.mark.parametrize("path", RETURNING)
def test_codes_that_travel_as_text_stand_where_it_is_said(path: str) -> None:
    assert all(
        f'"{code}"' in (ROOT / Path(path)).read_text() for code in RETURNING[path]
    )
