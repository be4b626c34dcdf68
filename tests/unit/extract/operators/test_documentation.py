"""What a project's Python says of an operator is that of the nearest function with a docstring."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from crawler.extract.operators.python_code.documentation import DocumentedModule
from crawler.extract.operators.python_code.python_callers import (
    choose_documentation,
    find_python_callers,
)

MODULE = '''
class AlignFunction(Function):
    @staticmethod
    def forward(ctx, x):
        """
        Args:
            x (Tensor): what is aligned
        """
        return _C.align_forward(x)

    @staticmethod
    def backward(ctx, grad):
        return _C.align_backward(grad)

align = AlignFunction.apply

class Align(Module):
    """Align regions to a grid.

    Args:
        size: of the grid
    """
    def forward(self, x):
        return align(x)

def segment_max(src):
    return torch.ops.lib.segment_max(src)

def segment(src):
    r"""Reduces all values of :attr:`src`
    into :obj:`out`.

    .. math::
        x_i
    """
    return segment_max(src)

def alone(x):
    return x
'''


@pytest.mark.parametrize(
    ("caller", "found"),
    [
        (("AlignFunction", "forward"), ("Align", "Align regions to a grid.")),
        (("AlignFunction", "backward"), ("Align", "Align regions to a grid.")),
        (("segment_max",), ("segment", "Reduces all values of `src` into `out`.")),
        (("segment",), ("segment", "Reduces all values of `src` into `out`.")),
        (("alone",), None),
        (("gone",), None),
    ],
)
def test_the_nearest_docstring_counts(
    caller: tuple[str, ...], found: tuple[str, str] | None
) -> None:
    documentation = DocumentedModule(ast.parse(MODULE)).find_documentation(caller)
    assert (documentation and (documentation.name, documentation.text)) == found


def test_of_many_users_the_first_are_looked_at() -> None:
    users = "".join(f"def user_{number}(): add()\n" for number in range(100))
    documented = "def rows():\n    'Adds two rows.'\n    add()\n"
    for text, found in ((documented + users, "rows"), (users + documented, None)):
        module = DocumentedModule(ast.parse(f"def add(): pass\n{text}"))
        documentation = module.find_documentation(("add",))
        assert (documentation and documentation.name) == found


def test_tests_do_not_document_what_they_call(tmp_path: Path) -> None:
    call = "    return _C.add_rows(1)\n"
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_add.py").write_text(
        f'import _C\ndef test():\n    """Try to add rows."""\n{call}'
    )
    (tmp_path / "add.py").write_text(
        f'import _C\ndef add():\n{call}\ndef rows():\n    """Adds two rows."""\n    add()\n'
    )
    paths = ["tests/test_add.py", "add.py"]
    callers = find_python_callers(tmp_path, paths, ["add_rows"])
    assert choose_documentation(callers)["add_rows"].text == "Adds two rows."
    callers = find_python_callers(tmp_path, paths[:1], ["add_rows"])
    assert choose_documentation(callers) == {}
