"""The page beside exported sources has commands that run from that folder on any machine."""

from __future__ import annotations

from crawler import headers
from crawler.dataset.texts.depth import Depth
from crawler.dataset.texts.readme import SOURCE_SUFFIXES, render_readme
from crawler.model import Status


def test_there_is_a_command_for_each_kind_of_source() -> None:
    text = render_readme()
    for suffix in SOURCE_SUFFIXES.values():
        assert f" $KERNEL{suffix} -o ../kernel." in text


def test_sources_that_need_not_compile_have_no_command() -> None:
    text = render_readme(Depth.PURE)
    assert "not to compile" in text
    assert "clang" not in text


def test_no_folder_of_this_machine_is_named() -> None:
    text = render_readme()
    assert str(headers.ROOT) not in text
    assert "rocm-device-lib-path=/" not in text
    assert "include/common" in text
    assert not [word for word in text.split() if word.startswith(("-I/", "-isystem/"))]


def test_every_status_of_a_run_is_explained_at_every_depth() -> None:
    for depth in Depth:
        text = render_readme(depth)
        assert "`consistent`: agrees with itself; meaning not proven." in text
        assert not [status for status in Status if f"`{status}`:" not in text]
