"""The launch sites of a kernel, the best known first."""

from __future__ import annotations

from typing import Any

from crawler.model import Launch
from crawler.validate.inputs.ordinary.launch_site_ranking import rank_launch_sites
from tests.plain import HERE, plain_kernel, plain_unit


def build_launch(grid: str, **facts: Any) -> Launch:
    plain = {"argument_map": (("n", "n"),), "setup": "int n = 4;"}
    return Launch(
        span=HERE, kernel_name="k", grid=grid, block="32", **{**plain, **facts}
    )


def rank_grids(*launches: Launch, arguments: tuple[str, ...] = ()) -> list[str]:
    kernel = plain_kernel(plain_unit(""), launches=launches)
    return [launch.grid for launch in rank_launch_sites(kernel, arguments) if launch]


def test_a_kernel_that_nothing_launches_has_one_unknown_site() -> None:
    assert rank_launch_sites(plain_kernel(plain_unit("")), ()) == (None,)


def test_a_launch_of_the_same_instantiation_comes_first() -> None:
    other = build_launch("a")
    same = build_launch("b", template_arguments=(("float",),), setup="")
    assert rank_grids(other, same, arguments=("float",)) == ["b", "a"]


def test_a_launch_whose_values_are_known_comes_first() -> None:
    member = build_launch("config.block_count")
    bare = build_launch("n", setup="")
    unmapped = build_launch("m", argument_map=())
    known = build_launch("(n + 31) / 32")
    ranked = rank_grids(unmapped, member, bare, known)
    # Three sites are enough.
    assert ranked == ["(n + 31) / 32", "n", "config.block_count"]
