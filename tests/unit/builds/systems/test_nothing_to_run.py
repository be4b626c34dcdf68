"""Build systems that are asked where they have nothing to run, or no time to run it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.builds.interface import BuildSystem
from crawler.builds.make import make_session
from crawler.builds.systems import configure, intercept
from crawler.checkout.include_graph import IncludeGraph
from crawler.errors import ConfigureFailed

KERNEL = "__global__ void k() {}\n"
Plant = Callable[[dict[str, str]], IncludeGraph]


@pytest.mark.parametrize(
    ("plugin", "program"),
    [
        pytest.param(
            configure.PLUGIN,
            "`configure`",
            marks=pytest.mark.apt("make"),
            id="configure",
        ),
        pytest.param(
            intercept.PLUGIN,
            "there is no build",
            marks=pytest.mark.apt("bear"),
            id="intercept",
        ),
    ],
)
def test_a_tree_without_a_build_is_refused_with_a_reason(
    plugin: BuildSystem, program: str, plant: Plant, scratch: Path
) -> None:
    tree = plant({"k.cu": KERNEL}).tree

    with pytest.raises(ConfigureFailed, match=program) as raised:
        plugin.find_commands(tree, scratch)

    assert raised.value.argv == ()


@pytest.mark.apt("make")
def test_a_configure_script_without_time_left_is_refused_with_a_reason(
    plant: Plant, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_session, "_BUDGET_SECONDS", 0)
    tree = plant({"configure": "#!/bin/sh\n# --with-cuda\n", "k.cu": KERNEL}).tree

    with pytest.raises(ConfigureFailed, match="`configure`") as raised:
        configure.PLUGIN.find_commands(tree, scratch)

    assert "the rest was left out" in raised.value.output
