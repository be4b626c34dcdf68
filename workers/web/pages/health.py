"""Pages for whoever runs the server: whether it answers, and its own style and scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from storage.database.engine import read_transaction
from workers.web.answers import answer_json
from workers.web.context import get_context

ROUTER: Final = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether the server and its database answer."""

    status: str
    """`ok`."""


@ROUTER.get("/healthz", response_model=Health)
def check_health(request: Request) -> Response:
    """Say whether the database answers."""
    with read_transaction(get_context(request).storage.engine) as connection:
        connection.exec_driver_sql("SELECT 1")
    return answer_json(Health(status="ok"))
