"""The documents and the command line say the same."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import typer

from crawler.validate.cpu.instantiation_choice import _MAX_FURTHER, _PREFERRED_TYPES
from crawler.validate.oracle_interface import MIN_AGREEING_CASES
from storage.index.query.fields import field_names
from workers.cli.app import app
from workers.config.settings import Settings

DOCS = Path(__file__).resolve().parents[2] / "docs"
Verbs = dict[str, object]
CLI = (DOCS / "cli.md").read_text()


def sections() -> dict[str, str]:
    parts = re.split(r"^## kernelset (.+)$", CLI, flags=re.MULTILINE)
    return {
        _verb(heading): body
        for heading, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def _verb(heading: str) -> str:
    words = []
    for word in heading.split():
        if not re.fullmatch(r"[a-z-]+", word) or word.startswith("-"):
            break
        words.append(word)
    return " ".join(words)


def options(command: object) -> set[str]:
    names = {
        name for parameter in getattr(command, "params", ()) for name in parameter.opts
    }
    return {name for name in names if name.startswith("--")} - {"--help"}


def test_every_command_is_documented_and_every_documented_one_exists(
    verbs: Verbs,
) -> None:
    assert set(sections()) == set(verbs)


def test_every_documented_option_exists(verbs: Verbs) -> None:
    for verb, body in sections().items():
        mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", body))
        assert mentioned <= options(verbs[verb]) | {"--json"}, verb


def test_every_option_is_documented(verbs: Verbs) -> None:
    documented = sections()
    for verb, command in verbs.items():
        absent = options(command) - set(
            re.findall(r"--[a-z][a-z-]+", _heading(verb) + documented[verb])
        )
        assert absent <= {"--json"}, f"{verb}: {absent}"


def _heading(verb: str) -> str:
    return next(
        line for line in CLI.splitlines() if line.startswith(f"## kernelset {verb}")
    )


def test_every_command_has_help_with_an_example(verbs: Verbs) -> None:
    for verb, command in verbs.items():
        assert getattr(command, "help", ""), verb
        assert f"kernelset {verb}" in str(getattr(command, "epilog", "")), verb


def test_every_setting_is_documented_with_its_default() -> None:
    text = (DOCS / "configuration.md").read_text()
    rows = dict(
        re.findall(
            r"^\| `(\w+)` \| `KERNELSET_\w+` \| `([^`]*)` \|", text, flags=re.MULTILINE
        )
    )
    assert set(rows) == set(Settings.model_fields)
    for name, documented in rows.items():
        default = Settings.model_fields[name].default
        expected = ",".join(default) if isinstance(default, tuple) else str(default)
        assert documented in (expected, expected.removesuffix(".0")), name


def test_the_verbs_are_functions_of_their_own_file(verbs: Verbs) -> None:
    assert isinstance(app, typer.Typer)
    folder = DOCS.parent / "workers" / "cli"
    for verb in verbs:
        name = verb.split()[0].replace("-", "_")
        # a module cannot be called as a keyword is
        file = f"{name}_.py" if keyword.iskeyword(name) else f"{name}.py"
        assert len(list(folder.rglob(file))) == 1


def test_every_field_of_the_query_language_is_documented() -> None:
    section = sections()["query"]
    for field in field_names():
        assert f"`{field}`" in section


def test_the_page_on_units_says_which_instantiation_is_run_and_what_a_pass_asks_for() -> (
    None
):
    page = " ".join((DOCS / "units.md").read_text().split())
    preferred = ", ".join(f"else of `{name}`" for name in _PREFERRED_TYPES)
    preferred = preferred.removeprefix("else ")
    assert f"One speaks for the kernel: {preferred}, else the first." in page
    numbers = {2: "two", 3: "three"}
    assert f"at most {numbers[_MAX_FURTHER]} others of the same types" in page
    assert f"in at least {numbers[MIN_AGREEING_CASES]} cases" in page


def test_every_verb_that_a_document_names_exists(verbs: Verbs) -> None:
    documents = [
        DOCS.parent / "README.md",
        DOCS.parent / "CONTRIBUTING.md",
        *DOCS.glob("*.md"),
    ]
    named = {
        word
        for path in documents
        for word in re.findall(r"`kernelset ([a-z][a-z-]*)", path.read_text())
    }
    assert named <= {verb.split()[0] for verb in verbs}
    assert "crawl" in named
