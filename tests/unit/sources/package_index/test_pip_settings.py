"""pip's own configuration is asked for, wherever Kernelset is called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.sources.package_index.pip_settings import read_pip_settings


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    read_pip_settings.cache_clear()
    yield
    read_pip_settings.cache_clear()


def test_nothing_of_the_folder_it_is_called_in_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strangers = tmp_path / "project/pip/__init__.py"
    strangers.parent.mkdir(parents=True)
    strangers.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    read_pip_settings()
    assert not (tmp_path / "ran").exists()
