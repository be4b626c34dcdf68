"""Commands `token add`, `token list` and `token revoke`: who may log in to the page."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Annotated, Final

import typer

from crawler.errors import Misconfigured
from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.request_record import record_request
from workers.cli.terminal import escape_line, format_table, print_json, print_line

ROLES: Final = ("reader", "reviewer", "operator")
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Of the person, as reviews will have it.")
]
_DAY_SECONDS: Final = 86400.0
_MAX_NAME_CHARACTERS: Final = 100


def _refuse_what_is_no_number(days: float) -> float:
    # of which no bound is true or false
    if math.isnan(days):
        raise typer.BadParameter("give a number of days, or 0 for ever")
    return days


def add(
    context: typer.Context,
    name: NameArgument,
    role: Annotated[
        str, typer.Option(help="reader, reviewer (gives verdicts) or operator.")
    ] = "reviewer",
    days: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=36_500.0,
            callback=_refuse_what_is_no_number,
            help="How long it holds; 0 for ever.",
        ),
    ] = 90.0,
    as_json: JsonOption = False,
) -> int:
    """Make a token for a person, and print it this once.

    By it that person logs in to `kernelset web`.
    """
    from workers.config.configured_storage import open_configured_storage

    if role not in ROLES:
        raise Misconfigured(
            f"no role is called {role!r}: give one of {', '.join(ROLES)}",
            code="bad-role",
        )
    is_plain = name == name.strip() and name.isprintable()
    if not name or not is_plain or len(name) > _MAX_NAME_CHARACTERS:
        raise Misconfigured(
            f"a name has 1 to {_MAX_NAME_CHARACTERS} printable characters: give one",
            code="bad-role",
        )

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        record_request(context, settings, storage, subject=f"{name} {role}")
        token = storage.tokens.add(name, role, lifetime_seconds=days * _DAY_SECONDS)

    if as_json:
        print_json({"name": name, "role": role, "token": token})
    else:
        print_line(token)
    return DONE


def list_tokens(context: typer.Context, as_json: JsonOption = False) -> int:
    """Print who has tokens.

    The tokens themselves nobody can read again.
    """
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        entries = storage.tokens.tokens()

    rows = []
    for entry in entries:
        if as_json:
            print_json(to_builtins(entry))
        until = "for ever"
        if entry.expires_at:
            until = datetime.fromtimestamp(entry.expires_at, UTC).date().isoformat()
        rows.append((entry.name, entry.role, f"until {until}", entry.digest[:12]))
    for line in () if as_json else format_table(rows):
        print_line(line)
    return DONE if entries else NOTHING


def revoke(
    context: typer.Context, name: NameArgument, as_json: JsonOption = False
) -> int:
    """Take all tokens of a person back; they are logged out at once."""
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    with open_configured_storage(settings) as storage:
        record_request(context, settings, storage, subject=name)
        count = storage.tokens.revoke(name)

    if as_json:
        print_json({"revoked": count})
    else:
        print_line(escape_line(f"{count} tokens of {name} are revoked"))
    return DONE if count else NOTHING
