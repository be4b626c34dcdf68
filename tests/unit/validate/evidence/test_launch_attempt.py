"""Blocks, shared memory and scalars of one launch, as its texts say them."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.launch_configuration import (
    LaunchConfiguration,
    ScalarParameter,
)
from crawler.validate.evidence.launch_site import DEFAULT_SHARED_BYTES, LaunchSite


def make_site(
    grid: str = "8",
    block: str = "64",
    shared_bytes: str = "0",
    arguments: dict[str, str] | None = None,
    **definitions: str,
) -> LaunchSite:
    return LaunchSite(
        grid=grid,
        block=block,
        shared_bytes=shared_bytes,
        arguments=arguments or {},
        definitions=definitions,
    )


def configure(site: LaunchSite, *scalars: ScalarParameter) -> LaunchConfiguration:
    return site.configure(scalars, lambda _text, _names, value: value, 1 << 14)


@pytest.mark.parametrize(
    ("block", "extents"),
    [
        ("128", (128, 1, 1)),
        ("dim3(32, 4)", (32, 4, 1)),
        ("1024", (1024, 1, 1)),
        ("1025", (256, 1, 1)),
        ("dim3(64, 32)", (256, 1, 1)),
        ("0", (256, 1, 1)),
        ("dim3(-4, -8)", (256, 1, 1)),
        ("", (256, 1, 1)),
    ],
)
def test_a_block_that_no_device_takes_is_the_usual_one(
    block: str, extents: tuple[int, int, int]
) -> None:
    assert configure(make_site(block=block)).block == extents


def test_a_block_that_nothing_else_tells_of_is_the_usual_one() -> None:
    site = make_site(grid="rows", block="x.size(1)")
    assert configure(site).block == (256, 1, 1)
    assert site.has_guessed_block
    assert not site.has_computed_block


def test_a_block_by_a_variable_of_the_grid_is_computed_with_it() -> None:
    site = make_site(grid="1000 / width", block="width")
    configuration = configure(site)
    assert configuration.block[0] == configuration.free_variables["width"] == 10


def test_a_block_by_its_name_alone_is_a_guess() -> None:
    named = make_site(block="threads")
    assert configure(named).block == (256, 1, 1)
    assert named.has_guessed_block
    written = make_site(block="threads", threads="96")
    assert configure(written).block == (96, 1, 1)
    assert not written.has_guessed_block
    assert written.has_computed_block


def test_a_count_of_blocks_divides_by_the_threads_of_the_block() -> None:
    configuration = configure(make_site(grid="GET_BLOCKS(1000)", block="128"))
    assert configuration.grid == (8, 1, 1)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("", 0),
        ("64 * sizeof(float)", 256),
        ("-8", 0),
        ("1 << 30", 0),
    ],
)
def test_shared_memory_is_what_the_launch_computes(text: str, size: int) -> None:
    site = make_site(shared_bytes=text)
    assert configure(site).shared_bytes == size
    assert not site.has_guessed_shared_bytes


@pytest.mark.parametrize(
    "text", ["shared_size", "sizeof(Params) * 64", "no expression"]
)
def test_shared_memory_that_nobody_knows_is_what_every_device_gives(text: str) -> None:
    site = make_site(shared_bytes=text)
    configuration = configure(site)
    assert configuration.shared_bytes == DEFAULT_SHARED_BYTES
    assert site.has_guessed_shared_bytes


def test_more_is_asked_for_once_where_it_was_a_guess() -> None:
    site = make_site(shared_bytes="shared_size")
    configuration = configure(site)
    assert site.request_more_shared_memory(configuration)
    assert site.has_requested_shared_bytes
    larger = configure(site)
    assert larger.shared_bytes > DEFAULT_SHARED_BYTES
    assert not site.request_more_shared_memory(larger)


def test_no_more_is_asked_for_where_it_is_known() -> None:
    site = make_site(shared_bytes="256")
    assert not site.request_more_shared_memory(configure(site))
    assert not site.has_requested_shared_bytes


def test_a_scalar_is_what_the_host_passes() -> None:
    site = make_site(arguments={"n": "rows * 4", "scale": "0.25"}, rows="6")
    configuration = configure(
        site, ScalarParameter(name="n"), ScalarParameter(name="scale", is_real=True)
    )
    assert configuration.scalars == {"n": 24, "scale": 0.25}


def test_a_real_scalar_that_nothing_tells_of_goes_by_its_name() -> None:
    configuration = configure(make_site(), ScalarParameter(name="eps", is_real=True))
    assert configuration.scalars == {"eps": 1e-5}


def test_a_flag_is_true_or_false() -> None:
    site = make_site(arguments={"a": "7", "b": "0", "c": "1"})
    flags = [ScalarParameter(name=name, is_bool=True) for name in "abc"]
    assert configure(site, *flags).scalars == {"a": 1, "b": 0, "c": 1}


def test_a_size_that_was_computed_to_nothing_is_an_ordinary_one() -> None:
    site = make_site(arguments={"channels": "4 / 8", "offset": "4 / 8"})
    configuration = configure(
        site, ScalarParameter(name="channels"), ScalarParameter(name="offset")
    )
    assert configuration.scalars == {"channels": 8, "offset": 0}


def test_an_extent_of_a_view_is_that_of_its_tensor() -> None:
    site = make_site(
        grid="input.size(1)",
        arguments={"x": "acc"},
        acc="input.packed_accessor32<float, 2>()",
    )
    configuration = configure(site, ScalarParameter(name="x.sizes[1]", axis=1))
    extent = configuration.free_variables["input.size(1)"]
    assert configuration.grid == (extent, 1, 1)
    assert configuration.scalars == {"x.sizes[1]": extent}


def test_views_of_each_other_come_to_an_end() -> None:
    site = make_site(
        arguments={"x": "a"}, a="b.contiguous()", b="c.contiguous()", c="a.contiguous()"
    )
    configuration = configure(site, ScalarParameter(name="x.sizes[0]", axis=0))
    assert configuration.scalars["x.sizes[0]"] >= 1
