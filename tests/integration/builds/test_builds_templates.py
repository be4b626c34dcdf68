"""A header of kernels that only a template of a source includes has units that compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.database.compile_database import build_compile_database
from crawler.checkout.generated_files import write_generated_files
from crawler.checkout.source_tree import open_tree
from crawler.checkout.tree_copies import make_linked_copy
from crawler.extract.link import link_commit
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.validate.build import build_unit

pytestmark = pytest.mark.apt

# no build system that could write `scan_0.cpp` and `scan_1.cpp`
FILES = {
    "pair.hpp": "namespace lib { template <class T> struct pair { T a, b; }; }\n",
    "scan.kernels.hpp": "template <class T> __global__ void add(T* to, lib::pair<T> x) {\n"
    "  to[threadIdx.x] = x.a + x.b;\n}\n",
    "scan.cpp.in": '#include <hip/hip_runtime.h>\n#include "pair.hpp"\n'
    '#include "scan.kernels.hpp"\n#cmakedefine SLICE @SLICE@\n'
    "#if SLICE == 0\n"
    "void run(float* to) { add<float><<<1, 64>>>(to, lib::pair<float>{1, 2}); }\n"
    "#else\n"
    "void run(int* to) { add<int><<<1, 64>>>(to, lib::pair<int>{1, 2}); }\n#endif\n",
}


def test_the_unit_has_what_the_template_includes(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)

    database = build_compile_database(root)
    copy = make_linked_copy(open_tree(root), tmp_path / "copy")
    write_generated_files(copy, database.generated)
    commands = [
        database.entries[number] for group in database.groups for number in group
    ]
    facts = tuple(extract_batch_facts(tmp_path / "copy", commands))
    (kernel,) = link_commit(facts).kernels

    assert kernel.span.path == "scan.kernels.hpp"
    # the other slice is what another choice of the macro shows
    arguments = {instantiation.arguments for instantiation in kernel.instantiations}
    assert arguments == {("float",), ("int",)}
    assert kernel.unit is not None
    assert build_unit(kernel.unit, "gfx90a").build.pass_call.message == ""
