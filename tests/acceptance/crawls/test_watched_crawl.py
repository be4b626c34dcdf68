"""A crawl from the command line is watched on the page, in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.servers.web import serving

pytestmark = [pytest.mark.apt("chromium"), pytest.mark.slow]
_PATIENCE = 600_000
"""Milliseconds that a crawl of one kernel may take on a machine that has much else to do."""


@pytest.mark.timeout(900)
def test_a_crawl_is_watched_from_its_first_task(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    (project / "scale.cu").write_text(
        "__global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }\n"
        "void run(float *x) { scale<<<1, 64>>>(x, 2.0f); }\n"
    )
    environment = {**os.environ, "KERNELSET_HOME": str(home)}
    program = Path(sys.executable).parent / "kernelset"
    with serving(home) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_context(base_url=address).new_page()
        crawl = subprocess.Popen(
            [program, "crawl", str(project), "--targets", "sm_80"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        try:
            page.goto("/crawls")
            # without a touch: the page looks again by itself
            page.get_by_role("main").get_by_role("link").nth(1).click(timeout=_PATIENCE)
            finished = page.get_by_text("All is done but to run the kernels")
            expect(finished).to_be_visible(timeout=_PATIENCE)
        finally:
            crawl.terminate()
            crawl.wait(60)
        counted = page.get_by_role("row", name=re.compile("^kernels .* 1$"))
        expect(counted).to_be_visible(timeout=_PATIENCE)
