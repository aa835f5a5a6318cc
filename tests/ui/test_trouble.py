"""What goes wrong while somebody looks: things that vanish, texts that would be lost, clocks that are off."""

import re
from datetime import date, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.ui.test_finding import rows
from tests.ui.test_live import TURN

DIGITS = "12345678901234567890"


# What vanishes


def test_a_job_that_is_deleted_while_it_is_shown_says_so_and_offers_nothing_more(go, api):
    job_id = api.enqueue("vanishing", {"n": 1})
    page = go(f"jobs/{job_id}")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible()
    api("DELETE", f"/jobs/{job_id}")
    expect(page.get_by_text("This job no longer exists.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("deleted")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
    expect(page.get_by_role("heading", name="Why is it not running?")).to_have_count(0)
    expect(page.get_by_label("payload", exact=True)).to_contain_text('"n": 1')
    page.get_by_role("button", name="Clone…").click()
    expect(page.get_by_role("dialog").get_by_label("Payload")).to_have_value(re.compile('"n": 1'))
    page.allow("status of 404")


def test_a_queue_that_is_destroyed_while_it_is_shown_says_so(go, api):
    api.enqueue("going")
    page = go("queues/going")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    api("DELETE", "/queues/going?confirm=true")
    expect(page.get_by_text("There is no such queue")).to_be_visible()
    api.enqueue("going")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.allow("status of 404")


def test_an_address_that_names_a_part_that_is_not_there_shows_the_first(go, api):
    api.enqueue("tabs")
    expect(go("queues/tabs?tab=nope").get_by_role("tab", name="Jobs")).to_have_attribute(
        "aria-selected", "true"
    )


def test_no_time_is_guessed_for_a_job_that_nobody_takes(go, api):
    page = go(f"jobs/{api.enqueue('deserted')}")
    why = page.get_by_role("region", name="Why is it not running?")
    expect(why).to_contain_text("No worker listens to queue deserted")
    expect(why).not_to_contain_text("any moment")


def test_when_the_node_dies_before_jobs_are_held_that_is_said_and_can_be_tried_again(own, page):
    job_id = own.api.enqueue("interrupted")
    page.goto(own.ui + "jobs")
    rows(page).nth(1).get_by_role("checkbox").check()
    page.get_by_role("button", name="Hold", exact=True).click()
    hold = page.get_by_role("dialog").get_by_role("button", name="Hold 1 job")
    expect(hold).to_be_enabled()
    page.allow("net::ERR_")
    own.kill()
    hold.click()
    expect(page.get_by_text("Hold failed")).to_be_visible()
    expect(hold).to_be_enabled()
    own.start()
    hold.click()
    expect(page.get_by_text("1 job held")).to_be_visible()
    assert own.api.job(job_id)["state"] == "held"


def test_what_could_not_be_read_is_not_said_to_be_nothing_and_is_read_once_it_can_be(own, page):
    own.api.kill("burning", "out of memory")
    own.api.fetch("burning", worker="somebody")
    page.goto(own.ui + "queues/burning?tab=errors")
    expect(page.get_by_role("heading", name="out of memory")).to_be_visible()
    page.allow("net::ERR_")
    own.kill()
    for tab in ("Workers", "Throughput"):
        page.get_by_role("tab", name=tab).click()
        panel = page.get_by_role("tabpanel")
        expect(panel.get_by_role("alert")).to_contain_text("The node does not answer", timeout=20_000)
        expect(panel.get_by_text("No worker listens")).to_have_count(0)
    page.evaluate("(url) => history.pushState({}, '', url)", own.ui)
    for name in ("Recent failures", "Throughput per minute"):
        panel = page.get_by_role("region", name=name)
        expect(panel.get_by_role("alert")).to_contain_text("The node does not answer", timeout=20_000)
    expect(page.get_by_text("Nothing has failed")).to_have_count(0)
    own.start()
    expect(page.get_by_role("alert")).to_have_count(0, timeout=30_000)
    expect(page.get_by_role("region", name="Recent failures")).to_contain_text("out of memory")


def test_when_the_node_dies_pages_keep_what_they_have(own, page):
    job_id = own.api.enqueue("approvals", {"eur": 900})
    own.api("POST", f"/jobs/{job_id}/hold", {"reason": "look first"})
    own.api.fetch("approvals", worker="somebody")
    page.goto(own.ui + "held")
    expect(page.get_by_text("look first")).to_be_visible()
    page.allow("net::ERR_")
    own.kill()
    expect(page.get_by_role("alert")).to_contain_text("The node does not answer", timeout=20_000)
    expect(page.get_by_text("look first")).to_be_visible()
    expect(page.locator(".stale").first).to_be_visible()
    # Nothing is known of a worker that was not asked about; that is not the same as not heard of.
    page.evaluate("() => history.pushState({}, '', 'worker?id=somebody')")
    expect(page.get_by_text("was not heard of")).to_have_count(0)


def test_parts_that_are_first_needed_when_the_node_is_gone_do_not_cost_the_page(context, node, api):
    api.enqueue("kept")
    page = context.new_page()
    page.set_default_timeout(15_000)
    gone = re.compile(r"/assets/(Cluster|Shortcuts)-")
    page.route(gone, lambda route: route.abort())
    page.goto(node.ui + "queues")
    expect(page.get_by_role("link", name="kept", exact=True)).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_text("Could not open it")).to_be_visible()
    expect(page.get_by_role("link", name="kept", exact=True)).to_be_visible()
    page.get_by_role("link", name="Cluster").first.click()
    expect(page.get_by_text("This part of the page did not arrive")).to_be_visible()
    page.unroute(gone)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("region", name="Nodes")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.close()


# What would be lost


def test_the_tail_has_no_hole_where_the_page_was_paused_or_hidden(page, go, api):
    with page.expect_response(re.compile("/events.*queues=.*tailed")):
        go("events?queue=tailed")
    expect(page.get_by_text("Listening…")).to_be_visible()
    log = page.get_by_role("log", name="Events")

    page.evaluate(TURN, "hidden")
    expect(page.get_by_role("status").filter(has_text="Paused while hidden")).to_be_visible()
    hidden = api.enqueue("tailed")
    page.evaluate(TURN, "visible")
    expect(log).to_contain_text(hidden[-8:])

    page.get_by_role("button", name="Pause live updates").click()
    paused = api.enqueue("tailed")
    expect(page.get_by_role("button", name="Resume (1 new)")).to_be_visible()
    expect(log).not_to_contain_text(paused[-8:])
    page.get_by_role("button", name="Resume live updates").click()
    expect(log).to_contain_text(paused[-8:])
    expect(log).to_contain_text(hidden[-8:])


def test_the_last_thousand_are_the_last_thousand(go, api):
    ids = api.enqueue_many([{"queue": "thousands", "payload": {}} for _ in range(1_200)])
    page = go("events")
    expect(page.get_by_text("Listening…")).to_be_visible()
    page.get_by_role("button", name="Replay last 1,000").click()
    expect(page.get_by_text("1,000 shown")).to_be_visible()
    expect(page.get_by_role("log", name="Events")).to_contain_text(ids[-1][-8:])


def test_what_was_typed_into_a_dialog_is_not_lost(go):
    page = go("settings")
    page.get_by_role("button", name="Enqueue a job").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Queue")).to_be_focused()
    dialog.get_by_label("Queue").fill("no/such")
    dialog.get_by_label("Queue").press("Enter")
    # Enter did what the button does, the server refused it, and the page says so.
    expect(page.get_by_text(re.compile("Could not enqueue"))).to_be_visible()
    page.allow("status of 400")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text(re.compile("Could not enqueue"))).to_have_count(0)
    page.mouse.click(5, 400)
    page.keyboard.press("Control+k")
    expect(dialog.get_by_label("Queue")).to_have_value("no/such")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_digits_that_a_browser_cannot_hold_survive_it(go, api):
    held = api.enqueue("exact", {"order": int(DIGITS)})
    api("POST", f"/jobs/{held}/hold", {"reason": "many digits"})
    page = go("held")
    expect(page.get_by_label(f"Payload of {held}", exact=True)).to_contain_text(DIGITS)
    page.get_by_role("button", name="Enqueue a job").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Queue").fill("exact")
    dialog.get_by_label("Payload").fill(f'{{"order":{DIGITS},"share":0.12345678901234567891}}')
    dialog.get_by_role("button", name="Format").click()
    expect(dialog.get_by_label("Payload")).to_have_value(re.compile(f'"order": {DIGITS},\n'))
    expect(dialog.get_by_label("Payload")).to_have_value(re.compile("0.12345678901234567891"))
    dialog.get_by_text("The same by curl").click()
    expect(dialog.get_by_label("curl", exact=True)).to_contain_text(DIGITS)
    dialog.get_by_role("button", name="Enqueue", exact=True).click()
    expect(dialog).to_have_count(0)
    page.goto(page.url.replace("held", "jobs?q=queue%3Aexact+state%3Apending"))
    expect(rows(page).nth(1)).to_contain_text(DIGITS)


def test_copying_works_within_a_dialog_where_browsers_offer_no_clipboard(context, node, api):
    """Over plain HTTP from another host there is none, which is how most teams will open the page."""
    job_id = api.enqueue("copied")
    page = context.new_page()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto(f"{node.ui}jobs/{job_id}")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name=re.compile("curl")).click()
    page.evaluate("() => addEventListener('copy', () => { window.copied = String(getSelection()) })")
    page.get_by_role("button", name="Copy: Look at it", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.copied") == f"corvo inspect {job_id}"


# What would be said wrongly


def test_a_browser_whose_clock_is_off_tells_the_same_times(context, node, api):
    api.enqueue("punctual")
    api.fetch("punctual", worker="punctual-1")
    job_id = api.enqueue("punctual")
    page = context.new_page()
    page.add_init_script("const real = Date.now; Date.now = () => real() - 600_000")
    page.goto(f"{node.ui}jobs/{job_id}")
    created = page.get_by_role("region", name="Details").locator("time").first
    expect(created).to_have_text(re.compile(r"^(now|\d+s ago)$"))
    page.goto(node.ui)
    expect(page.get_by_role("region", name="Queues").get_by_text("punctual", exact=True)).to_be_visible()
    expect(page.get_by_text("punctual has 1 job and no worker")).to_have_count(0)


def test_no_page_counts_a_worker_that_jobs_wait_for_in_vain(page, node, api):
    """The server calls it active for five minutes, and says after ninety seconds that nobody listens."""
    api.enqueue("patient")
    api.fetch("patient", worker="patient-1")

    def two_minutes_ago(route):
        workers = route.fetch().json()
        for worker in workers:
            heard = datetime.fromisoformat(worker["last_heartbeat"]) - timedelta(minutes=2)
            worker["last_heartbeat"] = heard.isoformat().replace("+00:00", "Z")
        route.fulfill(json=workers)

    page.route("**/api/v1/workers", two_minutes_ago)
    page.goto(node.ui)
    brief = page.get_by_role("region", name="Workers")
    expect(brief).to_contain_text(re.compile(r"^.*0 workers connected, \d+ late"))
    expect(brief).not_to_contain_text("patient-1")
    page.goto(node.ui + "workers")
    expect(page.get_by_text(re.compile(r"^No worker listens, \d+ late"))).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="patient-1")).to_contain_text("late")
    page.get_by_role("link", name="patient-1").click()
    expect(page.get_by_role("region", name="About")).to_contain_text("late")
    expect(page.get_by_role("region", name="About")).not_to_contain_text("active")


def test_the_days_of_a_schedule_are_those_of_its_own_zone(browser, node, api):
    zone = "Pacific/Kiritimati"
    body = {"name": "ahead", "queue": "cron", "cron": "30 3 * * *", "timezone": zone, "enabled": True}
    schedule = api("POST", "/schedules", body)
    preview = api("GET", f"/schedules/{schedule['id']}/preview?n=4")["runs"]
    told = [f"{date.fromisoformat(run['local'][:10]):%a} 03:30" for run in preview[1:]]
    context = browser.new_context(timezone_id="UTC", locale="en-GB")
    page = context.new_page()
    try:
        page.goto(node.ui + "scheduled")
        card = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="ahead"))
        expect(card).to_contain_text(f"then {', '.join(told)}")
        expect(card).to_contain_text("0 runs")
    finally:
        context.close()
        api("DELETE", f"/schedules/{schedule['id']}")


def test_a_list_that_was_scrolled_far_is_not_read_anew_behind_the_reader(go, api):
    ids = api.enqueue_many([{"queue": "scrolled", "payload": {"n": n}} for n in range(450)])
    page = go("jobs?q=queue%3Ascrolled+order%3Aasc")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=re.compile(ids[-1][-8:])))
    expect(rows(page).nth(1)).to_be_visible()
    for _ in range(100):
        page.mouse.wheel(0, 5_000)
        if row.count():
            break
        page.wait_for_timeout(100)
    expect(row).to_contain_text("pending")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/jobs/search" in request.url else None)
    page.evaluate(TURN, "hidden")
    api("POST", f"/jobs/{ids[-1]}/cancel")
    page.evaluate(TURN, "visible")
    # What is in sight is told nevertheless.
    expect(row).to_contain_text("cancelled")
    assert asked == []


def test_refreshing_means_now(go, api):
    api.enqueue("aging")
    page = go("jobs?q=queue%3Aaging+age%3C3s")
    expect(rows(page)).to_have_count(2)
    page.wait_for_timeout(3_500)
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("No jobs fit")).to_be_visible()

    page.goto(page.url.replace("age%3C3s", ""))
    expect(rows(page)).to_have_count(2)
    page.wait_for_timeout(700)
    api.enqueue("aging")
    page.get_by_role("button", name="Refresh, 1 new").click()
    expect(rows(page)).to_have_count(3)
    expect(page.get_by_role("button", name="Refresh", exact=True)).to_be_visible()


# By keyboard


def test_enter_is_for_what_has_the_focus(go, api):
    ids = api.enqueue_many([{"queue": "focused", "payload": {"n": n}} for n in range(3)])
    page = go("jobs?q=queue%3Afocused+order%3Aasc")
    expect(rows(page)).to_have_count(4)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.get_by_role("link", name=re.compile(ids[1][-8:]))).to_be_focused()
    page.keyboard.press("x")
    page.get_by_role("button", name="Cancel", exact=True).focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel 1 job").press("Enter")
    expect(page.get_by_text("1 job cancelled")).to_be_visible()
    assert [api.job(job_id)["state"] for job_id in ids] == ["pending", "cancelled", "pending"]


@pytest.mark.parametrize("name", ["a b+c&d=e?f#g%25", "näme 🦉 \"quoted\" 'too'", "x," * 90, "<b>bold"])
def test_any_name_that_a_queue_may_have_works(go, api, name):
    (job_id,) = api.enqueue_many([{"queue": name, "payload": {}}])
    page = go("queues")
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.get_by_role("link", name=re.compile(job_id[-8:])).click()
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("paused")
    page.get_by_role("tab", name="Errors").click()
    expect(page.get_by_text("Nothing has failed in this queue")).to_be_visible()
