"""What the compatibility header defines is documented, and what is documented is in it."""

from __future__ import annotations

import re
from pathlib import Path

from crawler import headers
from crawler.port.findings import (
    BLOCKING_HEADER_FOLDERS,
    BLOCKING_HEADERS,
    BLOCKING_NAMES,
)
from crawler.port.tables import COMPATIBILITY_NAMES
from crawler.ptx.instruction_tables import INSTRUCTION_CLASSES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "port.md").read_text()
TABLE = PAGE.partition("function by function")[2].partition("\n## ")[0]
FIRST_CELLS = "\n".join(
    line.split("|")[1] for line in TABLE.splitlines() if line.startswith("| `")
)
FUNCTION = re.compile(
    r"^(?:KERNELSET_FILL|__device__ inline) [\w ]+?[ *&](\w+)\(", re.MULTILINE
)


def list_defined_names() -> set[str]:
    """Return the functions at file scope: a namespace of ours is a detail."""
    names: set[str] = set()
    for name in ("warp", "memory", "atomic", "half", "bfloat16", "integer"):
        text = (headers.ROOT / "hip/kernelset" / f"hip_{name}.h").read_text()
        names |= set(
            FUNCTION.findall(
                re.sub(r"namespace kernelset \{.*?\n\}  //", "", text, flags=re.DOTALL)
            )
        )
    return names


def test_every_function_of_the_header_has_its_rule() -> None:
    missing = list_defined_names() - set(re.findall(r"`(\w+)`", FIRST_CELLS)) - {"name"}
    assert missing == set()
    assert len(list_defined_names()) > 60


def test_every_documented_function_is_in_the_header() -> None:
    text = "\n".join(
        path.read_text() for path in (headers.ROOT / "hip/kernelset").glob("*.h")
    )
    for name in re.findall(r"`([a-z_]\w+)`", FIRST_CELLS):
        assert name in text or name.removesuffix("_block") in text, name


def test_every_promise_of_the_rules_is_documented() -> None:
    missing_names = {
        name
        for name in COMPATIBILITY_NAMES
        if name.startswith("__") and name not in PAGE
    }
    assert missing_names == set()


def test_every_class_is_documented() -> None:
    classes = {
        *BLOCKING_NAMES,
        *BLOCKING_HEADERS.values(),
        *BLOCKING_HEADER_FOLDERS.values(),
        *INSTRUCTION_CLASSES,
    }
    classes |= {
        "ptx",
        "dynamic_parallelism",
        "nvvm_builtin",
        "mask_not_literal",
        "warp_size_assumption",
    }
    assert {kind for kind in classes if f"`{kind}`" not in PAGE} == set()
