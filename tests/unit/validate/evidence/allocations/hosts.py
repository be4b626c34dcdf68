"""Launchers as text, and the memory that they say they pass."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import HostCode, OperatorRole, Span
from crawler.validate.evidence.launch_configuration import (
    LaunchConfiguration,
    ScalarParameter,
)
from crawler.validate.evidence.launch_site import LaunchSite
from crawler.validate.evidence.recorded_launch_site import build_launch_site
from tests.unit.validate.evidence.launches import (
    choose_ordinary,
    make_kernel,
    make_launch,
)

_MAX_THREADS = 1 << 13


def make_site(
    text: str, arguments: dict[str, str], grid: str = "1", source: str = ""
) -> LaunchSite:
    """Return the site of a launch in a function whose text has `LAUNCH` where it stands."""
    begin = text.encode().index(b"LAUNCH")
    span = Span(path="a.cu", line=1, end_line=99, offset=0, end_offset=len(text))
    host = HostCode(role=OperatorRole.LAUNCHER, name="run", span=span, source=text)
    launch = replace(
        make_launch(grid=grid, argument_map=tuple(arguments.items()), enclosing="run"),
        span=Span(path="a.cu", line=2, end_line=2, offset=begin, end_offset=begin + 6),
    )
    return build_launch_site(make_kernel(host=(host,)), launch, None, source)


def configure(site: LaunchSite, *scalars: str) -> LaunchConfiguration:
    """Return the launch with ordinary sizes of a kernel that is passed `scalars`."""
    parameters = [ScalarParameter(name=name) for name in scalars]
    return site.configure(parameters, choose_ordinary, _MAX_THREADS)
