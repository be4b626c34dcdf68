"""Regions of preprocessed texts."""

from __future__ import annotations

from crawler.validate.programs.host_build.line_markers import split_by_origin

PREPROCESSED = """# 1 "/checkout/a.cu"
# 1 "/usr/include/stdio.h" 1 3 4
int puts(const char*);
# 2 "/checkout/a.cu" 2
int main() {
# 10 "/checkout/a.cu"
}
"""


def test_the_regions_join_to_the_text() -> None:
    assert "".join(region.text for region in split_by_origin(PREPROCESSED)) == (
        PREPROCESSED
    )


def test_system_headers_are_told_from_the_project() -> None:
    sides = [region.is_system for region in split_by_origin(PREPROCESSED)]

    assert sides == [False, True, False]


def test_each_line_knows_where_it_was_written() -> None:
    project = list(split_by_origin(PREPROCESSED))[-1]
    lines = project.text.splitlines()

    assert project.find_place(lines.index("int main() {") + 1) == ("/checkout/a.cu", 2)
    assert project.find_place(lines.index("}") + 1) == ("/checkout/a.cu", 10)


def test_a_text_without_markers_is_one_region() -> None:
    (region,) = split_by_origin("int x;\n")

    assert region.text == "int x;\n"
