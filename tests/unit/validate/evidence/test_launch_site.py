"""Grid, block, shared memory and scalars come from the same free variables, so that they agree."""

from __future__ import annotations

import math
from dataclasses import replace

from crawler.model import (
    Launch,
)
from crawler.validate.evidence.launch_configuration import ScalarParameter
from crawler.validate.evidence.names import is_block_size, typical_real, typical_size
from crawler.validate.evidence.recorded_launch_site import (
    build_launch_site,
)
from crawler.validate.evidence.source_constants import (
    find_constants,
    find_element_values,
    find_equality_values,
)
from tests.unit.validate.evidence.launches import (
    SPAN,
    choose_ordinary,
    make_kernel,
    make_launch,
)


def test_the_total_that_a_kernel_is_told_is_the_product_that_its_grid_was_made_for() -> (
    None
):
    site = build_launch_site(
        make_kernel(),
        Launch(
            span=SPAN,
            kernel_name="k",
            grid="blocks(total, threads)",
            block="threads",
            argument_map=(
                ("count", "total"),
                ("height", "h"),
                ("channels", "x.size(1)"),
            ),
            setup="int h = x.size(2); int total = x.size(0) * x.size(1) * h; const int threads = 128;",
        ),
        None,
        "",
    )
    names = [ScalarParameter(name=name) for name in ("count", "height", "channels")]
    configuration = site.configure(names, choose_ordinary, 1 << 14)
    assert (
        configuration.scalars["count"]
        == configuration.free_variables["x.size(0)"]
        * configuration.scalars["channels"]
        * configuration.scalars["height"]
    )
    assert configuration.block == (128, 1, 1)
    assert configuration.grid[0] == math.ceil(configuration.scalars["count"] / 128)


def test_sizes_are_mended_until_divisions_go_and_the_grid_is_neither_empty_nor_too_large() -> (
    None
):
    site = build_launch_site(
        make_kernel(),
        make_launch(grid="dim3(planes / 64, size / 64)", block="dim3(16, 4)"),
        None,
        "",
    )
    configuration = site.configure(
        [ScalarParameter(name="planes"), ScalarParameter(name="size")],
        choose_ordinary,
        1 << 14,
    )
    assert (
        configuration.scalars["planes"] % 64 == configuration.scalars["size"] % 64 == 0
    )
    assert min(configuration.grid) > 0
    huge = build_launch_site(
        make_kernel(), make_launch(grid="n * 100000"), None, ""
    ).configure([], choose_ordinary, 1 << 14)
    assert huge.thread_count <= 1 << 24


def test_a_grid_that_is_written_as_numbers_is_cut_to_what_can_be_traced() -> None:
    def configuration(grid: str) -> tuple[int, int, int]:
        return (
            build_launch_site(
                make_kernel(), make_launch(grid=grid, block="256"), None, ""
            )
            .configure([], choose_ordinary, 1 << 13)
            .grid
        )

    assert configuration("dim3(1024, 1, 1)") == (32, 1, 1)
    assert configuration("dim3(3, 40, 2)") == (3, 5, 2)
    assert configuration("dim3(1, 7)") == (1, 7, 1)
    wide = build_launch_site(
        make_kernel(), make_launch(grid="2", block="1024"), None, ""
    ).configure([], choose_ordinary, 512)
    assert wide.grid == (1, 1, 1)


def test_constants_that_a_scalar_is_compared_with_are_its_modes() -> None:
    source = "enum Pool { MAX = 1, AVG };\nif (mode == MAX || AVG != mode) {} switch (kind) { case 3: case 5: break; }"
    known_site = dict(find_constants(source))
    assert find_element_values("if (out[v] == -2 && a[i] >= 0.5f || b[j] < 7) {}") == (
        -2,
        7,
        6,
    )
    assert find_equality_values(source, ["mode", "kind", "other"], known_site) == {
        "mode": (1,),
        "kind": (3, 5),
    }


def test_shared_memory_of_which_nothing_tells_is_what_every_device_gives() -> None:
    for shared_bytes, expected in (
        ("Traits::kBytes", 48 << 10),
        ("bytes", 48 << 10),
        ("0", 0),
        ("4 * n", 1200),
    ):
        configuration = build_launch_site(
            make_kernel(),
            make_launch(shared_bytes=shared_bytes, setup="int bytes = traits.bytes;"),
            None,
            "",
        )
        assert (
            configuration.configure(
                [ScalarParameter(name="n")], choose_ordinary, 1 << 14
            ).shared_bytes
            == expected
        ), shared_bytes


def test_what_goes_by_the_name_of_a_warps_width_is_one() -> None:
    setup = (
        "constexpr int least = hw_warp_size; const int width = n < least ? least : n;"
    )
    site = build_launch_site(
        make_kernel(),
        Launch(span=SPAN, kernel_name="k", grid="1", block="64", setup=setup),
        None,
        "",
    )
    configuration = site.configure(
        [ScalarParameter(name="width"), ScalarParameter(name="WARP_SIZE")],
        lambda _text, _names, value: value,
        1 << 14,
    )
    assert configuration.scalars["WARP_SIZE"] == 32
    assert configuration.scalars["width"] >= 32


def test_more_shared_memory_is_asked_for_once_and_only_where_it_was_a_guess() -> None:
    guessed = build_launch_site(
        make_kernel(), make_launch(shared_bytes="Traits::kBytes"), None, ""
    )
    known_site = build_launch_site(
        make_kernel(), make_launch(shared_bytes="4 * n"), None, ""
    )
    requests = []
    for site in (guessed, guessed, known_site):
        requests.append(
            site.request_more_shared_memory(
                site.configure([ScalarParameter(name="n")], choose_ordinary, 1 << 14)
            )
        )
    assert requests == [True, False, False]
    assert (
        guessed.configure(
            [ScalarParameter(name="n")], choose_ordinary, 1 << 14
        ).shared_bytes
        == 160 << 10
    )
    assert (
        known_site.configure(
            [ScalarParameter(name="n")], choose_ordinary, 1 << 14
        ).shared_bytes
        == 1200
    )


def test_shared_memory_that_rests_on_what_the_kernel_is_not_told_of_may_be_more() -> (
    None
):
    for shared_bytes, before, after in (
        ("4 * m", 24, 160 << 10),
        ("int(sizeof(Storage<float>))", 48 << 10, 160 << 10),
    ):
        site = build_launch_site(
            make_kernel(), make_launch(shared_bytes=shared_bytes), None, ""
        )
        first = site.configure(
            [ScalarParameter(name="n")], lambda _text, _names, _value: 6, 1 << 14
        )
        assert first.shared_bytes == before
        assert site.request_more_shared_memory(first)
        assert (
            site.configure(
                [ScalarParameter(name="n")], choose_ordinary, 1 << 14
            ).shared_bytes
            == after
        )


def test_what_there_are_of_in_each_of_another_is_counted_as_itself() -> None:
    assert (
        typical_size(("elems_per_out_group",))
        == typical_size(("num_elems",))
        > typical_size(("groups",))
    )
    assert typical_size(("headsPerRank",)) == typical_size(("heads",))
    assert is_block_size(("threads_per_block",))


def test_a_picture_is_as_wide_as_one_and_what_is_near_lies_before_what_is_far() -> None:
    assert (
        typical_size(("image_width",))
        == typical_size(("width",))
        > typical_size(("images",))
    )
    assert (
        0
        < typical_real("near_plane")
        < typical_real("depth")
        < typical_real("far_plane")
    )


def test_a_block_that_something_else_depends_on_is_no_guess() -> None:
    alone = build_launch_site(make_kernel(), make_launch(block="channels"), None, "")
    assert alone.configure(
        [ScalarParameter(name="channels")], choose_ordinary, 1 << 14
    ).block == (256, 1, 1)
    passed = build_launch_site(
        make_kernel(),
        replace(make_launch(block="channels"), argument_map=(("c", "channels"),)),
        None,
        "",
    )
    configuration = passed.configure(
        [ScalarParameter(name="c")], choose_ordinary, 1 << 14
    )
    assert (configuration.block, configuration.scalars["c"]) == ((8, 1, 1), 8)
