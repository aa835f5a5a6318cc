"""For everyone: by keyboard, by screen reader, light and dark, behind a prefix."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.gatehouse import Gatehouse
from tests.ui.places import PAGES, visit

AXE = Path(__file__).parents[2] / "ui/node_modules/axe-core/axe.min.js"
SETTLED = """() => Promise.all(
    document.getAnimations()
        .filter((each) => each.effect.getTiming().iterations !== Infinity)
        .map((each) => each.finished.catch(() => undefined)),
)"""


def serious(page, only=None):
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text())
    # What is still fading in has less contrast than it will have.
    page.evaluate(SETTLED)
    options = {"resultTypes": ["violations"]} | ({"runOnly": only} if only else {})
    result = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{found['id']}: {node['target']} {node['failureSummary'][:200]}"
        for found in result["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"][:3]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_shuts_anybody_out(browser, node, filled, theme):
    context = browser.new_context(
        color_scheme=theme, viewport={"width": 1440, "height": 600}, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(node.ui + "settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    found = {}
    for path in PAGES:
        visit(page, node, filled if path == "JOB" else path)
        # Names and roles are the same in the dark; only colours are not.
        found[path] = serious(page, ["color-contrast"] if theme == "dark" else None)
    context.close()
    assert {path: troubles for path, troubles in found.items() if troubles} == {}


def test_dialogs_and_menus_shut_nobody_out(go, node, filled):
    page = go(filled)
    for button in ("Move", "Enqueue a job"):
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Search or go to")).to_be_visible()
    assert serious(page) == []


def test_everything_is_reached_by_keyboard(go, api):
    page = go("settings")
    ids = api.enqueue_many([{"queue": "keys", "payload": {"n": n}} for n in range(3)])
    expect(page.get_by_role("link", name="Overview")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("q")
    expect(page.get_by_role("heading", level=1)).to_have_text("Queues")
    page.keyboard.press("g")
    page.keyboard.press("j")
    expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Query")).to_be_focused()
    page.keyboard.type("queue:keys order:asc")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_text("3 jobs", exact=False).first).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("1 job selected")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(ids[1])
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+C")
    expect(page.get_by_role("heading", level=1)).to_contain_text("cancelled")
    assert api.job(ids[1])["state"] == "cancelled"


def test_the_palette_finds_pages_queues_and_jobs(go, api):
    page = go("settings")
    job_id = api.enqueue("found.by.palette")
    expect(page.get_by_role("link", name="Overview")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("found.by")
    page.get_by_role("option", name="found.by.palette").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("found.by.palette")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type(job_id)
    expect(page.get_by_role("option", selected=True)).to_have_text(f"Open job {job_id}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(job_id)


@pytest.mark.parametrize(
    ("typed", "first", "path"),
    [
        ("queues", "Queues", "queues"),
        ("demo", "demo.images", "queues/demo.images"),
        ("eu:images", "eu:images", "queues/eu%3Aimages"),
        ("state:dead", "Search jobs for state:dead", "jobs?q=state%3Adead"),
        ("timed out", "Search jobs for timed out", "jobs?q=timed+out"),
    ],
)
def test_the_palette_offers_what_fits_best_first_and_a_search_for_anything(go, node, api, typed, first, path):
    api.enqueue("demo.images")
    api.enqueue("eu:images")
    page = go("settings")
    expect(page.get_by_role("link", name="Overview")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type(typed)
    expect(page.get_by_role("option", selected=True)).to_have_text(re.compile(f"^{first}"))
    expect(page.get_by_role("option", name=f"Search jobs for {typed}")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(node.ui + path)


def test_the_first_thing_the_tab_key_reaches_skips_to_the_content(go):
    page = go("settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()


def test_the_theme_that_was_chosen_stays_and_never_flashes(go, node):
    page = go("settings")
    assert page.evaluate("document.documentElement.classList.contains('dark')")
    page.get_by_role("button", name="Light theme").click()
    page.goto(node.ui + "settings", wait_until="commit")
    page.wait_for_selector("body", state="attached")
    assert not page.evaluate("document.documentElement.classList.contains('dark')")
    expect(page.get_by_role("radio", name="Light")).to_be_checked()


def test_it_works_behind_a_prefix_nobody_told_it_about(page, node, api):
    job_id = api.enqueue("prefixed")
    with Gatehouse(node.address, prefix="/tools/corvo") as gate:
        for place in ("/", "/ui", "/ui/"):
            page.goto(gate.url + place)
            expect(page).to_have_url(f"{gate.url}/ui/")
        page.get_by_role("link", name="prefixed", exact=True).click()
        expect(page).to_have_url(f"{gate.url}/ui/queues/prefixed")
        page.goto(f"{gate.url}/ui/jobs/{job_id}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("pending")
        api("POST", f"/jobs/{job_id}/cancel")
        expect(page.get_by_role("heading", level=1)).to_contain_text("cancelled")
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name=re.compile("curl")).click()
        expect(page.get_by_label("Look at it by curl", exact=True)).to_contain_text(
            f"{gate.url}/api/v1/jobs/{job_id}"
        )
        page.goto(f"{gate.url}/ui/settings")
        page.get_by_role("link", name="API reference").click()
        section = page.locator("section").filter(has=page.get_by_text("/healthz", exact=True))
        section.get_by_text("Try it").click()
        section.get_by_role("button", name="Send").click()
        expect(section.locator("pre")).to_contain_text('"status": "ok"')
        page.goto("about:blank")


def test_it_works_at_an_address_of_ipv6(page, node):
    with Gatehouse(node.address, host="::1") as gate:
        page.goto(gate.url)
        expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
        page.goto("about:blank")
