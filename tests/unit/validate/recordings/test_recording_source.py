"""How many launches of a kernel are kept, and what they say of themselves."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from crawler.model import CaseOrigin
from crawler.validate.recordings.data_licence import find_data_licence
from crawler.validate.recordings.recorded_launch import (
    RecordedBuffer,
    RecordedLaunch,
    RecordedParameter,
    pack_content,
)
from crawler.validate.recordings.recording_source import RecordingSource

SOURCE = RecordingSource(
    origin=CaseOrigin.PROJECT_LAUNCHER, name="fold in fold.cu", licence="MIT"
)


def launch(number: int, size: int) -> RecordedLaunch:
    # what cannot be compressed
    content = pack_content(os.urandom(size))
    return RecordedLaunch(
        kernel=0,
        arguments="",
        number=number,
        test=0,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        shared_bytes=0,
        seconds=0.0,
        parameters=(),
        pointers=(),
        links=(),
        buffers=(RecordedBuffer(size=size, before=content),),
    )


def test_launches_say_where_they_come_from() -> None:
    (marked,) = SOURCE.mark_launches([launch(1, 4)])

    assert marked.origin is CaseOrigin.PROJECT_LAUNCHER
    assert (marked.source, marked.licence) == ("fold in fold.cu", "MIT")


def test_the_smallest_are_kept_where_all_are_too_many() -> None:
    launches = [launch(number, (9 - number) << 18) for number in range(1, 9)]

    marked_launches = SOURCE.mark_launches(launches)

    assert [launch.number for launch in marked_launches] == [8, 7, 6, 5, 4]


def test_few_launches_of_a_kernel_are_kept_however_small() -> None:
    launches = [launch(number, 4) for number in range(1, 100)]

    marked_launches = SOURCE.mark_launches(launches)

    assert [launch.number for launch in marked_launches] == list(range(1, 65))


def test_what_a_launch_was_given_counts_as_well() -> None:
    words = RecordedParameter(description="s", content=bytes(1 << 20))
    launches = [replace(launch(number, 4), parameters=(words,)) for number in range(9)]

    assert len(SOURCE.mark_launches(launches)) == 3


def test_data_are_under_the_licence_of_their_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nlicense = "MIT"\n')
    (tmp_path / "LICENSE").write_text(
        "MIT License\n\nPermission is hereby granted, free of charge"
    )
    (tmp_path / "main.cu").write_text("// SPDX-License-Identifier: Apache-2.0\n")

    assert find_data_licence(tmp_path, "main.cu") == "Apache-2.0"
    assert find_data_licence(tmp_path, "missing.cu") == find_data_licence(tmp_path, "a")
