"""Documents name only files, sections and modules that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "deploy" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
PATH = re.compile(
    r"`((?:crawler|storage|workers|benchmarks|tests|deploy|docs)/[\w./-]*)`"
)
MODULE = re.compile(r"`((?:crawler|storage|workers|benchmarks)(?:\.\w+)+)`")
CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def read_prose(document: Path) -> str:
    """Return a document without its blocks of code."""
    return CODE_BLOCK.sub("", document.read_text())


def make_anchor(heading: str) -> str:
    """Return the anchor that a heading gets where the documents are shown."""
    plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return plain.strip().replace(" ", "-")


def list_anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", read_prose(document), re.MULTILINE)
    return {make_anchor(heading) for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files_and_sections(document: Path) -> None:
    for target, anchor in LINK.findall(read_prose(document)):
        path = (document.parent / target).resolve() if target else document
        assert path.exists(), f"{target} is not there"
        if anchor:
            assert anchor in list_anchors(path), f"{path.name} has no section {anchor}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_and_folders_that_are_named_exist(document: Path) -> None:
    # a name in capitals stands for any name
    paths = [
        path
        for path in PATH.findall(read_prose(document))
        if not re.search("[A-Z]{3}", path)
    ]
    missing = [path for path in paths if not (ROOT / path).exists()]
    # what a reader is told to write, or what Git does not keep
    assert [path for path in missing if "README" not in path] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_modules_that_are_named_exist(document: Path) -> None:
    for name in MODULE.findall(read_prose(document)):
        assert resolves(name), f"{name} is neither a module nor something in one"


def resolves(name: str) -> bool:
    """Tell whether a dotted name is a module, or leads from one to an attribute."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            target: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            if not hasattr(target, attribute):
                return False
            target = getattr(target, attribute)
        return True
    return False


def test_a_wrong_name_would_be_noticed() -> None:
    assert not resolves("crawler.port.nothing")
    assert not resolves("crawler.port.port.nothing")
    assert resolves("crawler.port.port")
    assert make_anchor("kernelset crawl LOCATOR…") == "kernelset-crawl-locator"
