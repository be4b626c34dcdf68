"""Keep who asked for a command that changes something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from storage.open import Storage
    from workers.config.settings import Settings


def record_request(
    context: typer.Context,
    settings: Settings,
    storage: Storage,
    *,
    subject: str = "",
    crawl: str = "",
) -> None:
    """Record that the command of `context` is asked for; before it changes anything."""
    from workers.config.requester import choose_requester

    storage.requests.record(
        spell_verb(context), choose_requester(settings), subject=subject, crawl=crawl
    )


def spell_verb(context: typer.Context) -> str:
    """Return a command's own words, such as `storage gc`, without the program's name."""
    program = context.find_root().info_name or ""
    return context.command_path.removeprefix(program).strip()
