"""What is shown where there is little room."""

import pytest
from playwright.sync_api import expect

from tests.ui.places import PAGES, visit
from tests.ui.served import Served


@pytest.fixture
def fresh(tmp_path):
    served = Served(tmp_path / "data")
    yield served
    served.stop()


def test_what_becomes_of_a_queue_is_said_in_one_line(page, fresh):
    fresh.api.enqueue_many([{"queue": "a", "payload": {}} for _ in range(2)])
    (job,) = fresh.api.fetch("a")
    fresh.api("POST", f"/ack/{job['job_id']}", {})
    page.goto(fresh.ui)
    said = page.get_by_text("growing by 1/min")
    expect(said).to_be_visible()
    assert said.bounding_box()["height"] < 20
    assert sideways(page) == []


def sideways(page):
    """What has to be pushed sideways to be read."""
    return page.evaluate(
        """() => [...document.querySelectorAll("main, main *")]
            .filter((each) => each.scrollWidth > each.clientWidth)
            .filter((each) => getComputedStyle(each).overflowX === "auto")
            .map((each) => `${each.textContent.slice(0, 40)}: ${each.scrollWidth} > ${each.clientWidth}`)"""
    )


def test_no_page_is_wider_than_a_small_phone(browser, node, filled):
    context = browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True)
    page = context.new_page()
    page.goto(node.ui + "settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    wide = {}
    for path in PAGES:
        visit(page, node, filled if path == "JOB" else path)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 320:
            wide[path] = width
    page.goto(node.ui)
    page.get_by_role("button", name="Open the navigation").click()
    page.get_by_role("link", name="Workers").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Workers")
    expect(page.get_by_role("dialog")).to_have_count(0)
    context.close()
    assert wide == {}
