"""Ways to choose sizes."""

from __future__ import annotations

from crawler.validate.inputs.choices import by_name, flat


def test_a_grid_of_several_variables_is_tried_with_one_axis_and_with_none() -> None:
    ways = list(flat(("gdx", "gdy", "gdz"), [by_name, lambda _text, _names, value: 2 * value]))
    assert [[way(name, (name,), 6) for name in ("gdx", "gdy", "gdz", "n")] for way in ways] == [
        [6, 1, 1, 6],
        [12, 1, 1, 12],
        [1, 1, 1, 6],
        [1, 1, 1, 12],
    ]
    assert list(flat(("blocks",), [by_name])) == []
