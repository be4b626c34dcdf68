"""Ways to choose sizes."""

from __future__ import annotations

from crawler.validate.inputs.sizes.size_choices import (
    choose_usual_size,
    generate_flat_grid_choices,
)


def test_a_grid_of_several_variables_is_tried_with_one_axis_and_with_none() -> None:
    ways = list(
        generate_flat_grid_choices(
            ("gdx", "gdy", "gdz"),
            [choose_usual_size, lambda _text, _names, value: 2 * value],
        )
    )
    assert [
        [way(name, (name,), 6) for name in ("gdx", "gdy", "gdz", "n")] for way in ways
    ] == [
        [6, 1, 1, 6],
        [12, 1, 1, 12],
        [1, 1, 1, 6],
        [1, 1, 1, 12],
    ]
    assert list(generate_flat_grid_choices(("blocks",), [choose_usual_size])) == []
