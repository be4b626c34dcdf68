"""What a run sees of the host's system."""

from __future__ import annotations

from pathlib import Path

from crawler.sandbox.system_mounts import partial_system_words, whole_system_words


def list_pairs(words: tuple[str, ...], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for position, word in enumerate(words):
        if word == option:
            pairs[words[position + 2]] = words[position + 1]
    return pairs


def test_a_named_file_is_shown_through_all_of_its_links(tmp_path: Path) -> None:
    (tmp_path / "tool-1/bin").mkdir(parents=True)
    (tmp_path / "tool-1/bin/cc").touch()
    (tmp_path / "tool").symlink_to("tool-1")
    (tmp_path / "called").symlink_to("tool/bin/cc")
    words = partial_system_words((tmp_path / "called",))
    shown_paths = list_pairs(words, "--ro-bind")
    assert f"{tmp_path}/tool-1/bin/cc" in shown_paths
    links = list_pairs(words, "--symlink")
    assert links[f"{tmp_path}/called"] == "tool/bin/cc"
    assert links[f"{tmp_path}/tool"] == "tool-1"


def test_nothing_beside_what_is_named_is_shown(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/header.h").touch()
    (tmp_path / "other.h").touch()
    words = partial_system_words((tmp_path / "own", tmp_path / "own/header.h"))
    shown_paths = {
        path
        for path in list_pairs(words, "--ro-bind")
        if Path(path).is_relative_to(tmp_path)
    }
    # a folder shows what lies in it
    assert shown_paths == {f"{tmp_path}/own"}
    assert "/usr" not in list_pairs(words, "--ro-bind")


def test_what_is_not_there_is_passed_over(tmp_path: Path) -> None:
    words = partial_system_words((tmp_path / "absent", tmp_path / "absent/below"))
    assert not any(str(tmp_path) in word for word in words)


def test_of_the_whole_system_texts_are_hidden() -> None:
    words = tuple(whole_system_words())
    assert list_pairs(words, "--ro-bind")["/usr"] == "/usr"
    assert "/usr/share/doc" in words
