"""The Typer app with all verbs, for help, completion and tests."""

from __future__ import annotations

from workers.cli.command_groups import make_app

app = make_app()
