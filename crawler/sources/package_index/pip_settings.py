"""What pip is configured with: indexes, trusted hosts and certificates."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from functools import cache
from typing import Final

from crawler import process
from crawler.errors import Misconfigured

_OPTIONS: Final = (
    "index-url",
    "extra-index-url",
    "find-links",
    "trusted-host",
    "cert",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PipSettings:
    """The part of pip's configuration that says where packages come from."""

    index_urls: tuple[str, ...]
    find_links: tuple[str, ...]
    trusted_hosts: tuple[str, ...]
    certificates: str
    """A file of authorities; empty for those of the system."""


@cache
def read_pip_settings() -> PipSettings:
    """Ask pip how it is configured: by files, and by `PIP_*`; unearth reads neither."""
    values = _read_configuration()
    for option in _OPTIONS:
        variable = f"PIP_{option.upper().replace('-', '_')}"
        values[option] = os.environ.get(variable, values.get(option, ""))

    # As pip does: no index but the links where `no-index` is set.
    index_urls = [values["index-url"] or _get_default_index()]
    index_urls += values["extra-index-url"].split()

    if values.get("no-index", "") in ("1", "true"):
        index_urls = []
    return PipSettings(
        index_urls=tuple(index_urls),
        find_links=tuple(values["find-links"].split()),
        trusted_hosts=tuple(values["trusted-host"].split()),
        certificates=values["cert"],
    )


def _read_configuration() -> dict[str, str]:
    completed = process.run(
        [sys.executable, "-P", "-m", "pip", "config", "list"], env=dict(os.environ)
    )
    if completed.exit_code != 0:
        return {}

    # Later lines win: the environment, and what is set for `pip install` alone.
    lines = completed.output.decode("utf-8", "replace").splitlines()
    lines.sort(key=lambda line: line.startswith((":env:", "install.")))
    values: dict[str, str] = {}

    for line in lines:
        # `global.index-url='https://example.org/simple'`
        key, _, value = line.partition("=")
        option = key.rsplit(".", 1)[-1].strip("'")
        values[option] = " ".join(shlex.split(value))

    return values


def _get_default_index() -> str:
    try:
        from pip._internal.models.index import PyPI as PipIndex
    except ImportError as error:
        raise Misconfigured(
            "no package index is configured: set PIP_INDEX_URL, or install pip"
        ) from error
    return str(PipIndex.simple_url)
