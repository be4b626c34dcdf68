"""A report names its command as anybody may type it."""

from __future__ import annotations

from benchmarks.report import describe_command


def test_a_command_says_nothing_of_where_folders_lie() -> None:
    words = ["torch_scatter", "--names", "/home/me/names.txt", "--mirrors", "mirrors/"]

    assert describe_command("unseen", [*words, "--results", "/home/me/unseen.md"]) == [
        "python",
        "-m",
        "benchmarks",
        "unseen",
        "torch_scatter",
        "--names",
        "names.txt",
        "--mirrors",
        "mirrors/",
    ]
