"""kernelset config show: every setting, and where it was set."""

from __future__ import annotations

import typer

from workers.cli import DONE
from workers.cli.options import Json, flags_of, settings_of
from workers.cli.terminal import say, say_json, table


def show(context: typer.Context, as_json: Json = False) -> int:
    """Print every setting with its value and where it was set; secrets are never printed."""
    from crawler.codec import plain
    from workers.settings import shown

    settings = shown(settings_of(context), **flags_of(context))
    if as_json:
        for setting in settings:
            say_json(plain(setting))
    else:
        for line in table([(setting.name, setting.value, setting.origin) for setting in settings]):
            say(line)
    return DONE
