"""A shell is offered fields, then values that kernels have, and never an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from storage.open import open_storage
from tests.contract.kernel_indexes import KERNELS, MMCV
from workers.cli.kernels.completion import (
    complete_expression,
    complete_fields,
    complete_view,
)


class StandInContext:
    """Says where state lies, as the root of a real context does."""

    def __init__(self, home: Path) -> None:
        self.obj = {"home": home}

    def find_root(self) -> StandInContext:
        return self


@pytest.fixture
def context(tmp_path: Path, migrated_database: Path) -> typer.Context:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(MMCV, KERNELS)
    return StandInContext(tmp_path)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("incomplete", "offers"),
    [
        ("licence_c", ["licence_class="]),
        ("nms and qual", ["nms and qualified_name="]),
        ("(not rep", ["(not repo="]),
        ("dialect=", ["dialect=cuda", "dialect=hip"]),
        ("dialect = h", ["dialect = hip"]),
        ("name=roi", ["name=roi_align_forward"]),
        ("repo=mmcv name != n", ["repo=mmcv name != nms"]),
        ("tag=trivial,temp", ["tag=trivial,template"]),
        ("superseded=t", ["superseded=true"]),
        ("nonsense=", []),
        ("text:", []),
        ("name=no_such", []),
    ],
)
def test_an_expression_goes_on_with_what_there_is(
    context: typer.Context, incomplete: str, offers: list[str]
) -> None:
    assert complete_expression(context, incomplete) == offers


def test_a_home_that_is_not_there_stays_so(tmp_path: Path) -> None:
    nowhere: typer.Context = StandInContext(tmp_path / "none")  # type: ignore[assignment]
    assert complete_expression(nowhere, "name=") == []
    assert not (tmp_path / "none").exists()


def test_facets_and_views_are_offered() -> None:
    assert complete_fields("licence,oper") == ["licence,operator"]
    assert complete_view("comp") == ["complete", "computeeval"]


def test_a_shell_gets_it(context: typer.Context, tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "kernelset"
    environment = {
        **os.environ,
        "KERNELSET_HOME": str(tmp_path),
        "_KERNELSET_COMPLETE": "complete_bash",
        "COMP_WORDS": "kernelset query name=roi",
        "COMP_CWORD": "2",
    }
    ended = subprocess.run(
        [program], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stdout.split() == ["name=roi_align_forward"]
