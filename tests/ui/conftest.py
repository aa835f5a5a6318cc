"""A real browser in front of a real node. Without Chromium these tests fail: run `make test-ui`."""

from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.ui.served import Served
from tests.ui.showcase import Work

SHOTS = Path(__file__).parents[2] / "build" / "ui-shots"
FIGURES = Path(__file__).parents[2] / "build" / "ui-figures.txt"
CHROMIUM = "/usr/bin/chromium"

expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def browser():
    """Not for longer than it is needed: while it is there a loop runs, and asyncio's tests can have none."""
    assert Path(CHROMIUM).exists(), "Chromium is missing: `make test-ui` installs Debian's"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("node") / "data")
    yield served
    served.stop()


@pytest.fixture
def own(tmp_path):
    """A node of this test's own: empty, and it may die. Named before `page`, so that it outlives it."""
    served = Served(tmp_path / "own")
    yield served
    served.stop()


@pytest.fixture
def api(node):
    return node.api


@pytest.fixture(scope="module")
def filled(node):
    """A node with one of each thing, and the address of a job with a history."""
    work = Work(node.api)
    work.minute(0.1)
    work.oddities()
    node.api("POST", "/jobs/bulk", {"action": "hold", "filter": {"queue": "pdf.render"}, "async": True})
    (job,) = node.api("POST", "/jobs/search", {"unique_key": "welcome-ann"})["jobs"]
    return f"jobs/{job['id']}"


@pytest.fixture
def context(browser):
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, color_scheme="dark", locale="en-GB"
    )
    yield context
    context.close()


@pytest.fixture
def page(request, context):
    """A page that must stay without errors, and whose last look is kept."""
    page = context.new_page()
    page.set_default_timeout(15_000)
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    # For tests that make trouble on purpose. The browser tells of it when it likes: it is sorted out last.
    # A machine whose interfaces come and go under it makes Chromium ask again, which the page bears.
    allowed = {"ERR_NETWORK_CHANGED"}
    page.allow = lambda *words: allowed.update(words)
    yield page
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{request.node.name.removeprefix('test_')[:80]}.png")
    assert [told for told in troubles if not any(words in told for words in allowed)] == []


@pytest.fixture
def figure():
    """Write down a figure; `make test-ui` prints them at the end."""

    def figure(line: str) -> None:
        FIGURES.parent.mkdir(parents=True, exist_ok=True)
        with FIGURES.open("a") as out:
            out.write(line + "\n")

    return figure


@pytest.fixture
def go(page, node):
    """Open a page of the UI by its path."""

    def go(path: str):
        page.goto(node.ui + path)
        return page

    return go
