"""The Typer app with all verbs: what help, completion and tests look at."""

from __future__ import annotations

from workers.cli.command_groups import make_app

app = make_app()
