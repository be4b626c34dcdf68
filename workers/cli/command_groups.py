"""Add verbs with their examples to the Typer app and to its groups."""

from __future__ import annotations

import typer


def make_group(summary: str) -> typer.Typer:
    """Return an empty group of verbs."""
    return typer.Typer(help=summary, rich_markup_mode=None, no_args_is_help=True)


def add_command(
    group: typer.Typer, name: str, function: object, *examples: str
) -> None:
    """Add a function as the verb `name`, with examples of how it is called."""
    lines = "\n".join(f"  {example}" for example in examples)
    # `\\b` on a line of its own keeps the help text from being wrapped again
    add = group.command(name, epilog=f"\b\nExamples:\n{lines}")
    add(function)  # type: ignore[type-var]
