"""Judge many candidates part by part: a folder keeps what came of them when a run is ended."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from crawler.judging.candidate import Candidate
from crawler.judging.judgement import Judgement
from workers.judging.judge_candidates import CandidateJudging
from workers.judging.judgement_file import open_judgement_file


def add_kept(parser: argparse.ArgumentParser) -> None:
    """Add `--kept FOLDER` and `--most N`."""
    parser.add_argument(
        "--kept",
        type=Path,
        metavar="FOLDER",
        help="keep judgements there: the same command goes on where it was",
    )
    parser.add_argument(
        "--most", type=int, metavar="N", help="judge no more than these in this run"
    )


@contextmanager
def _open_folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


def judge_in_parts(
    judging: CandidateJudging,
    candidates: Iterable[Candidate],
    kept: Path | None,
    most: int | None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[list[Judgement], float]:
    """Judge `most` of the candidates that the folder `kept` has no judgement of.

    Return all judgements, and the seconds by the clock that all runs together took for them.
    """
    with _open_folder(kept) as folder:
        seconds_file = folder / "seconds.txt"
        seconds = float(seconds_file.read_text()) if seconds_file.exists() else 0.0
        with open_judgement_file(folder / "judgements.jsonl") as file:
            left = (each for each in candidates if file.find(each) is None)
            started = clock()
            for _ in judging.judge(islice(left, most), file):
                # at once: a run that is ended has taken its seconds, too
                _write_text(seconds_file, f"{seconds + clock() - started:.3f}\n")
            return list(file.judgements), seconds + clock() - started


def _write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.replace(path)
