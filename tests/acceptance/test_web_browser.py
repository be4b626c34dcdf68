"""The page in a real browser: on a telephone and on a desk, without a violation of WCAG A and AA.

Screenshots lie in the temporary folder of the run, and in `TESTS_SCREENSHOTS` where that is set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Route,
    expect,
    sync_playwright,
)

from crawler.model import Strength, Survivor
from storage.ledger.interface import Stage
from storage.open import open_storage
from tests.servers.web import serving
from tests.web_client import fill_with_records, put_launched_record

pytestmark = [pytest.mark.apt("chromium"), pytest.mark.slow]
WIDTHS = {"telephone": 360, "desk": 1440}
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    with open_storage(home) as storage:
        # the page of a kernel whose cases leave something out has more to show
        record = put_launched_record(storage)
        fill_with_records(storage)
        survivor = Survivor(line=4, before="i < n", after="i <= n")
        strength = Strength(
            branches=4, branches_reached=3, unreached=(3,), mutants=9, killed=8,
            survivors=(survivor,), taken_lines=(2, 3, 5), missed_lines=(4,),
        )  # fmt: skip
        runs = [replace(run, strength=strength) for run in record.runs]
        storage.index.put_runs(runs, [suite for _, suite in record.suites])
    return home


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with serving(home) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@pytest.fixture(params=WIDTHS)
def page(
    request: pytest.FixtureRequest, browser: Browser, address: str
) -> Iterator[Page]:
    context = browser.new_context(
        base_url=address,
        viewport={"width": WIDTHS[request.param], "height": 800},
        color_scheme="dark" if request.param == "desk" else "light",
    )
    context.set_default_timeout(60_000)
    problems: list[str] = []
    page = context.new_page()
    # what the content security policy stops is said on the console
    page.on("console", lambda message: _note_problem(message, problems))
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    expected = "the server responded with a status of 40"
    assert [text for text in problems if expected not in text] == []


def _note_problem(message: ConsoleMessage, problems: list[str]) -> None:
    if message.type in ("error", "warning"):
        problems.append(message.text)


def look(page: Page, name: str, folder: Path) -> None:
    """Hold a page against WCAG and its width, and keep a picture of it."""
    width = page.viewport_size["width"] if page.viewport_size else 0
    folder = Path(os.environ.get("TESTS_SCREENSHOTS", folder))
    page.screenshot(path=folder / f"{name}-{width}.png", full_page=True)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        axe_results = Axe().run(
            page, options={"runOnly": {"type": "tag", "values": WCAG}}
        )
        violations = axe_results.response["violations"]
        assert not violations, (
            scheme,
            [
                (rule["id"], [node["html"][:200] for node in rule["nodes"][:3]])
                for rule in violations
            ],
        )
    scrolled = page.evaluate("document.documentElement.scrollWidth")
    assert scrolled <= width, f"{name} is {scrolled} wide"


def log_in(page: Page, home: Path, name: str, role: str) -> None:
    with open_storage(home) as storage:
        token = storage.tokens.add(name, role)
    page.context.clear_cookies()
    page.goto("/login?next=/reviews")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text(f"{name} (")).to_be_visible()


def test_pages_are_fit_for_everybody(page: Page, tmp_path: Path) -> None:
    for path in ("/crawls", "/crawls/all", "/kernels", "/repositories", "/reviews"):
        page.goto(path)
        for _ in range(10):
            if page.locator("[data-reload='2']").count() == 0:
                break
            page.reload()
        look(page, path.strip("/").replace("/", "-"), tmp_path)
    page.goto("/kernels?q=block_sum")
    fits = "[...document.querySelectorAll('.wide')].every(each => each.scrollWidth <= each.clientWidth)"
    assert page.evaluate(fits)
    page.get_by_role("link", name="block_sum").first.click()
    expect(page.get_by_role("heading", name="Port to HIP")).to_be_visible()
    expect(page.get_by_text("no case takes a branch here")).to_be_visible()
    note = page.get_by_text("no case tells i < n from i <= n")
    assert note.evaluate("each => each.getBoundingClientRect().right <= innerWidth")
    expect(page.get_by_text("3 of 4 lines run")).to_be_visible()
    expect(page.locator("#U3")).to_have_class(re.compile(r"\btaken\b"))
    expect(page.locator("#U4")).to_contain_text("no case runs this")
    builds = page.locator(".wide[aria-label=Builds]")
    # on a telephone every column is in sight, beside its name
    assert builds.evaluate("each => each.scrollWidth <= each.clientWidth")
    look(page, "kernel", tmp_path)
    page.get_by_role("link", name="The whole unit").click()
    look(page, "text", tmp_path)
    page.goto("/repositories")
    page.get_by_role("main").get_by_role("link").first.click()
    look(page, "repository", tmp_path)
    page.goto("/login")
    look(page, "login", tmp_path)
    page.goto("/kernels?q=nam+%3D+3")
    expect(page.get_by_role("alert")).to_contain_text("no field")
    look(page, "problem", tmp_path)


def test_a_query_is_completed_by_the_keyboard(page: Page) -> None:
    page.goto("/kernels")
    box = page.get_by_label("Query")
    box.press_sequentially("dial")
    expect(page.get_by_role("option", name="dialect = ")).to_be_visible()
    box.press("ArrowDown")
    box.press("Enter")
    expect(box).to_have_value("dialect = ")
    expect(page.get_by_role("option", name="hip")).to_be_visible()
    box.press_sequentially("hip")
    box.press("Escape")
    box.press("Enter")
    expect(page.get_by_role("link", name="wave_kernel")).to_be_visible()


def test_a_late_answer_leaves_what_was_chosen(page: Page) -> None:
    late: list[Route] = []
    page.goto("/kernels")
    box = page.get_by_label("Query")
    box.press_sequentially("dia")
    expect(page.get_by_role("option", name="dialect = ")).to_be_visible()
    page.route("**/completion?q=dial", lambda route: late.append(route))
    with page.expect_request("**/completion?q=dial"):
        box.press_sequentially("l")
    box.press("ArrowDown")
    with page.expect_response("**/completion?q=dial"):
        late.pop().continue_()
    box.press("Enter")
    expect(box).to_have_value("dialect = ")


def test_a_late_answer_opens_nothing_that_was_closed(page: Page) -> None:
    late: list[Route] = []
    page.goto("/kernels")
    box = page.get_by_label("Query")
    page.route("**/completion?q=dial", lambda route: late.append(route))
    with page.expect_request("**/completion?q=dial"):
        box.press_sequentially("dial")
    box.press("Escape")
    with page.expect_response("**/completion?q=dial"):
        late.pop().continue_()
    expect(page.get_by_role("option")).to_have_count(0)
    expect(box).to_have_attribute("aria-expanded", "false")


def test_two_reviewers_come_to_agree_by_the_keyboard(
    page: Page, home: Path, tmp_path: Path
) -> None:
    width = page.viewport_size["width"] if page.viewport_size else 0
    ada, bob = f"ada{width}", f"bob{width}"
    log_in(page, home, ada, "reviewer")
    look(page, "reviews-logged-in", tmp_path)
    page.keyboard.press("n")
    page.wait_for_url(re.compile("/reviews/[0-9a-f]{64}$"))
    judged = page.url
    look(page, "review", tmp_path)
    for key in "1234":
        page.keyboard.press(key)
    page.keyboard.press("a")
    expect(page.get_by_text("Your verdict is kept")).to_be_visible()
    look(page, "review-given", tmp_path)
    log_in(page, home, bob, "reviewer")
    page.goto(judged)
    expect(page.get_by_text("Your verdict", exact=True)).to_be_visible()
    assert ada not in page.content()
    page.keyboard.press("t")
    page.keyboard.type("a case with n = 0 is missing")
    for key in ("Escape", "r"):
        page.keyboard.press(key)
    expect(page.get_by_text(f"by {ada}")).to_be_visible()
    expect(page.get_by_text("disputed")).to_be_visible()
    page.get_by_text("Give another verdict").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("Together: accepted")).to_be_visible()


def test_a_comment_begins_at_the_line_that_is_clicked(page: Page, home: Path) -> None:
    width = page.viewport_size["width"] if page.viewport_size else 0
    log_in(page, home, f"cleo{width}", "reviewer")
    page.get_by_role("button", name="Give me the next kernel").click()
    page.wait_for_url(re.compile("/reviews/[0-9a-f]{64}$"))
    page.locator("[data-part=source] .num", has_text=re.compile("^3$")).click()
    text = page.get_by_label("Text").first
    expect(text).to_be_focused()
    if width > 1000:  # beside it; on a telephone the form is below
        expect(page.locator("#source-3.chosen")).to_be_in_viewport()
    expect(page.get_by_label("Line").first).to_have_value("3")
    text.fill("why three?")
    page.locator("[data-part=prompt] .num", has_text=re.compile("^2$")).click()
    expect(page.get_by_label("Line").nth(1)).to_have_value("2")
    expect(page.get_by_label("Of", exact=True).nth(1)).to_have_value("prompt")
    page.locator("h1").click()
    # what ⇧3 writes is another sign on many keyboards
    page.keyboard.press("Shift+Digit3")
    expect(page.locator("[name=check-tests-cover][value=unmet]")).to_be_checked()
    # refused, since something does not hold: nothing that was written is lost
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("alert")).to_contain_text("tests-cover")
    expect(page.get_by_label("Text").first).to_have_value("why three?")
    page.get_by_role("button", name="Needs work").click()
    expect(page.get_by_role("link", name="source, line 3").first).to_be_visible()


def test_a_crawl_is_watched_to_its_end(page: Page, home: Path) -> None:
    with open_storage(home) as storage:
        (crawl,) = storage.ledger.crawls()
    width = page.viewport_size["width"] if page.viewport_size else 0
    log_in(page, home, f"ola{width}", "operator")
    page.goto(f"/crawls/{crawl.id}")
    page.get_by_role("button", name="Retry what failed").click()
    remainder = page.get_by_text(re.compile("tasks? (is|are) left"))
    expect(remainder).to_be_visible(timeout=60_000)
    # the button has the focus, and a page does not change under who holds it
    page.locator("h1").click()
    with open_storage(home) as storage:
        while claim := storage.ledger.claim("nobody", (Stage.CLONE,), 600):
            # what failed is there for the next who retries
            storage.ledger.fail(claim, "network-down", "see that it is up")
    expect(page.get_by_text("Nothing is left to do")).to_be_visible(timeout=120_000)


def test_who_may_not_is_refused(page: Page, home: Path) -> None:
    page.goto("/reviews")
    expect(page.get_by_role("link", name="Log in to review")).to_be_visible()
    log_in(page, home, "eve", "reader")
    expect(page.get_by_text("verdicts are for reviewers")).to_be_visible()
    page.goto("/crawls/all")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)


def test_everything_is_there_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/kernels")
    page.get_by_label("Query").fill("name = axpy*")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="axpy_kernel").click()
    expect(page.get_by_role("heading", name="Source", exact=True)).to_be_visible()
    context.close()
