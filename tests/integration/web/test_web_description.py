"""The OpenAPI description fits what is served, whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from storage.open import open_storage
from tests.servers.web import serving
from tests.web_client import fill_with_records

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
_FEW_EXAMPLES = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    with open_storage(home) as storage:
        fill_with_records(storage)
    return home


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with serving(home) as address:
        yield address


@pytest.mark.parametrize("role", ["", "operator"])
def test_every_operation_answers_as_it_is_described(
    address: str, home: Path, role: str
) -> None:
    who = {}
    if role:
        # who may do all of it comes further than who is refused at the door
        with open_storage(home) as storage:
            who["Authorization"] = f"Bearer {storage.tokens.add(role, role)}"
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    operations: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) >= 15
    for operation in operations:

        @_FEW_EXAMPLES
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            for accept in ("application/json", "text/html"):
                headers = {"Accept": accept, **who}
                answer = case.call(headers=headers, allow_redirects=False)
                case.validate_response(answer, checks=CHECKS)

        ask()
