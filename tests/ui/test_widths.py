"""What is shown where there is little room."""

import pytest
from playwright.sync_api import expect

from tests.ui.places import PAGES, visit

#: What an operator looks at first, on the phone that called.
LISTS = (
    "",
    "queues",
    "queues/billing.charge?tab=workers",
    "jobs",
    "failures",
    "dead",
    "batches",
    "workers",
)
LONG = "notifications.push-to-android.eu-central-1.very-high-priority"


def test_what_becomes_of_a_queue_is_said_in_one_line(own, page):
    own.api.enqueue_many([{"queue": "a", "payload": {}} for _ in range(2)])
    (job,) = own.api.fetch("a")
    own.api("POST", f"/ack/{job['job_id']}", {})
    page.goto(own.ui)
    said = page.get_by_text("growing by 1/min")
    expect(said).to_be_visible()
    assert said.bounding_box()["height"] < 20
    assert sideways(page) == []


def test_a_chain_of_three_is_seen_whole(own, page):
    steps = [{"queue": name} for name in ("extract", "transform.customers", "load")]
    job_id = own.api.enqueue("extract", chain={"steps": steps})
    page.goto(f"{own.ui}jobs/{job_id}")
    graph = page.get_by_role("group", name="Graph of jobs that belong together")
    expect(graph.get_by_text("3. load")).to_be_visible()
    assert sideways(page) == []


def test_a_payload_of_a_held_job_has_a_lower_edge(own, page):
    job_id = own.api.enqueue("large", {f"line {n}": n for n in range(30)})
    own.api("POST", f"/jobs/{job_id}/hold", {"reason": "look first"})
    page.goto(own.ui + "held")
    box = page.get_by_label(f"Payload of {job_id}", exact=True)
    expect(box).to_be_visible()
    clipped = """(box) => {
        const low = box.getBoundingClientRect().bottom;
        return [...document.querySelectorAll("main *")].some((each) => each.contains(box) && each !== box
            && getComputedStyle(each).overflowY !== "visible" && each.getBoundingClientRect().bottom < low);
    }"""
    assert not box.evaluate(clipped)


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


@pytest.fixture
def phone(browser):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(15_000)
    yield page
    context.close()


def test_all_jobs_are_chosen_at_once_on_a_phone(own, phone):
    own.api.enqueue_many([{"queue": "calls", "payload": {}} for _ in range(30)])
    phone.goto(f"{own.ui}jobs")
    every = phone.get_by_role("checkbox", name="Select all loaded jobs")
    every.tap()
    chosen = phone.get_by_role("region", name="Chosen jobs")
    expect(chosen).to_contain_text("30 jobs selected")
    expect(chosen.get_by_role("button", name="Cancel")).to_be_in_viewport(ratio=1)
    every.tap()
    expect(chosen).to_have_count(0)


def test_a_box_is_met_by_a_finger_beside_it(own, phone):
    job_id = own.api.enqueue("calls")
    phone.goto(f"{own.ui}jobs")
    box = phone.get_by_role("checkbox", name=f"Select {job_id}")
    place = box.bounding_box()
    phone.touchscreen.tap(place["x"] - 6, place["y"] + place["height"] + 10)
    expect(box).to_be_checked()


@pytest.mark.parametrize("width", [320, 360, 430])
def test_the_lists_are_read_on_a_phone_without_pushing_them_sideways(browser, node, filled, width):
    node.api.kill(LONG, f"no device of {'x' * 80} answered")
    node.api.fetch(
        "billing.charge", worker=f"{LONG}-4711", host="ip-10-0-31-255.eu-central-1.compute.internal"
    )
    context = browser.new_context(viewport={"width": width, "height": 740}, has_touch=True)
    page = context.new_page()
    page.goto(node.ui + "settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    cut = {}
    for path in LISTS:
        visit(page, node, path)
        cut[path] = sideways(page)
    assert {path: found for path, found in cut.items() if found} == {}

    visit(page, node, "")
    wrong, flow = (
        page.get_by_role("region", name=name) for name in ("Needs attention", "Throughput per minute")
    )
    assert wrong.bounding_box()["y"] < flow.bounding_box()["y"]
    visit(page, node, f"queues?find={LONG}")
    row = page.get_by_role("row").filter(has_text=LONG)
    for cell in (row.get_by_role("link", name=LONG), row.get_by_role("button", name=f"Pause {LONG}")):
        expect(cell).to_be_in_viewport(ratio=1)
    visit(page, node, "workers")
    row = page.get_by_role("row").filter(has_text=f"{LONG}-4711")
    row.scroll_into_view_if_needed()
    for cell in (row.get_by_role("link", name=f"{LONG}-4711"), row.get_by_text("ago").first):
        expect(cell).to_be_in_viewport(ratio=1)
    context.close()
