"""The documents and the command line say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.main import get_command

from storage.query import fields
from workers.cli.app import app
from workers.settings import Settings

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLI = (DOCS / "cli.md").read_text()


def verbs() -> dict[str, object]:
    def walk(command: object, path: str) -> Iterator[tuple[str, object]]:
        inner = getattr(command, "commands", None)
        if inner is None:
            yield path, command
        else:
            for name, each in inner.items():
                yield from walk(each, f"{path} {name}".strip())

    return dict(walk(get_command(app), ""))


def sections() -> dict[str, str]:
    parts = re.split(r"^## kernelset (.+)$", CLI, flags=re.MULTILINE)
    return {_verb(heading): body for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


def _verb(heading: str) -> str:
    words = []
    for word in heading.split():
        if not re.fullmatch(r"[a-z-]+", word) or word.startswith("-"):
            break
        words.append(word)
    return " ".join(words)


def options(command: object) -> set[str]:
    names = {name for parameter in getattr(command, "params", ()) for name in parameter.opts}
    return {name for name in names if name.startswith("--")} - {"--help"}


def test_every_command_is_documented_and_every_documented_one_exists() -> None:
    assert set(sections()) == set(verbs())


def test_every_documented_option_exists() -> None:
    known = verbs()
    for verb, body in sections().items():
        mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", body))
        assert mentioned <= options(known[verb]) | {"--json"}, verb


def test_every_option_is_documented() -> None:
    documented = sections()
    for verb, command in verbs().items():
        absent = options(command) - set(re.findall(r"--[a-z][a-z-]+", _heading(verb) + documented[verb]))
        assert absent <= {"--json"}, f"{verb}: {absent}"


def _heading(verb: str) -> str:
    return next(line for line in CLI.splitlines() if line.startswith(f"## kernelset {verb}"))


def test_every_command_has_help_with_an_example() -> None:
    for verb, command in verbs().items():
        assert getattr(command, "help", ""), verb
        assert f"kernelset {verb}" in str(getattr(command, "epilog", "")), verb


def test_every_setting_is_documented_with_its_default() -> None:
    text = (DOCS / "configuration.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| `KERNELSET_\w+` \| `([^`]*)` \|", text, flags=re.MULTILINE))
    assert set(rows) == set(Settings.model_fields)
    for name, shown in rows.items():
        default = Settings.model_fields[name].default
        expected = ",".join(default) if isinstance(default, tuple) else str(default)
        assert shown in (expected, expected.removesuffix(".0")), name


def test_the_verbs_are_functions_of_their_own_file() -> None:
    assert isinstance(app, typer.Typer)
    for verb in verbs():
        assert (DOCS.parent / "workers" / "cli" / f"{verb.split()[0].replace('-', '_')}.py").is_file()


def test_every_field_of_the_query_language_is_documented() -> None:
    section = sections()["query"]
    for field in fields():
        assert f"`{field}`" in section
