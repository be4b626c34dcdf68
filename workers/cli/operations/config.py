"""Command `config show`: print every setting and where it was set."""

from __future__ import annotations

import typer

from workers.cli.exit_codes import DONE
from workers.cli.options import JsonOption, context_settings, global_flags
from workers.cli.terminal import format_table, print_json, print_line


def show(context: typer.Context, as_json: JsonOption = False) -> int:
    """Print every setting and where it was set.

    Secrets are never printed.
    """
    from crawler.codec import to_builtins
    from workers.config.setting_report import describe_settings

    settings = describe_settings(context_settings(context), **global_flags(context))
    if as_json:
        for setting in settings:
            print_json(to_builtins(setting))
        return DONE

    rows = [(setting.name, setting.value, setting.origin) for setting in settings]
    for line in format_table(rows):
        print_line(line)
    return DONE
