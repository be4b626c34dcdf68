"""Make the Typer app, of all verbs or of the one that is called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from workers.cli.options import VersionOption
from workers.cli.verb_groups import GROUPS
from workers.cli.verbs import VERBS, Verb


def make_app(verb_name: str = "") -> typer.Typer:
    """Return the app with one verb or group of verbs; with all of them where none has that name.

    Loading all of them takes as long as a query does.
    """
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "max_content_width": 110,
        },
    )
    app.callback()(kernelset)

    all_names = {entry.name for entry in (*VERBS, *GROUPS)}
    names = {verb_name} if verb_name in all_names else all_names
    for verb in VERBS:
        if verb.name in names:
            _add_verb(app, verb)
    for group in GROUPS:
        if group.name in names:
            typer_group = typer.Typer(
                help=group.summary, rich_markup_mode=None, no_args_is_help=True
            )
            for verb in group.verbs:
                _add_verb(typer_group, verb)
            app.add_typer(typer_group, name=group.name)
    return app


def kernelset(
    context: typer.Context,
    home: Annotated[
        Path | None,
        typer.Option(
            help="Where all state lives (default ~/.kernelset, or KERNELSET_HOME)."
        ),
    ] = None,
    _: VersionOption = False,
) -> None:
    """Turn public source code into a dataset of GPU kernels that are proven to build.

    Results go to standard output, progress and logs to standard error. Exit codes: 0 done, 1
    some task failed, 2 usage or configuration, 3 a bug, 4 nothing matched, 130 interrupted.
    """
    context.obj = {"home": home}


def _add_verb(group: typer.Typer, verb: Verb) -> None:
    lines = "\n".join(f"  {example}" for example in verb.examples)
    # `\\b` on a line of its own keeps the help text from being wrapped again
    add = group.command(verb.name, epilog=f"\b\nExamples:\n{lines}")
    add(_load_function(verb))


def _load_function(verb: Verb) -> Callable[..., Any]:
    module_name, _, name = verb.function.partition(":")
    function: Callable[..., Any] = getattr(
        import_module(f"workers.cli.{module_name}"), name
    )
    return function
