"""Live without storms: the page follows what happens, and says so when it cannot."""

import re
import threading
import time

from playwright.sync_api import expect


def test_the_first_visit_teaches_and_the_first_job_appears_by_itself(own, page):
    page.goto(own.ui)
    expect(page.get_by_text("Enqueue your first job")).to_be_visible()
    expect(page.get_by_label("First job by curl", exact=True)).to_contain_text(
        f"http://{own.address}/api/v1/enqueue"
    )
    own.api.enqueue("newborn")
    expect(page.get_by_role("link", name="newborn", exact=True)).to_be_visible(timeout=20_000)


def test_counters_follow_without_a_single_question(go, api):
    api.enqueue("counted")
    page = go("")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="counted", exact=True))
    expect(row.get_by_role("cell").nth(1)).to_have_text("1")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/queues") else None)
    began = time.monotonic()
    for count in range(2, 14):
        api.enqueue("counted")
        expect(row.get_by_role("cell").nth(1)).to_have_text(str(count))
    # Twelve times told, and never asked but on the beat.
    assert len(asked) <= 1 + (time.monotonic() - began) / 15


def test_a_job_is_followed_from_line_to_result(go, api):
    job_id = api.enqueue("watched", {"n": 1})
    page = go(f"jobs/{job_id}")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("pending")
    api.fetch("watched", worker="w-live")
    expect(heading).to_contain_text("active")
    progress = {"current": 450, "total": 1000, "message": "Sending"}
    api("POST", "/heartbeat", {"jobs": {job_id: {"progress": progress, "checkpoint": {"at": 450}}}})
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "45")
    panel = page.get_by_role("region", name="Progress")
    expect(panel).to_have_text("450 / 1000 · Sending45%")
    api("POST", "/heartbeat", {"jobs": {job_id: {"progress": 46}}})
    expect(panel).to_have_text("Progress46%")
    api("POST", f"/ack/{job_id}", {"result": {"sent": 1000}})
    expect(heading).to_contain_text("completed")
    page.get_by_role("tab", name="Result").click()
    expect(page.get_by_label("result", exact=True)).to_contain_text("1000")


def test_rows_of_a_list_change_in_place(go, api):
    job_id = api.enqueue("inplace")
    page = go("jobs?q=queue%3Ainplace")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=re.compile(job_id[-8:])))
    expect(row).to_contain_text("pending")
    api.fetch("inplace")
    expect(row).to_contain_text("active")
    api("DELETE", f"/jobs/{job_id}")
    expect(row).to_have_count(0)


def test_the_live_tail_holds_still_when_asked_while_500_jobs_a_second_run(go, api, figure):
    page = go("events")
    expect(page.get_by_text("Listening…")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    stop = threading.Event()
    done = [0]

    def load():
        while not stop.is_set():
            began = time.monotonic()
            api.enqueue_many([{"queue": "busy", "payload": {}} for _ in range(125)])
            acks = [{"job_id": job["job_id"]} for job in api.fetch("busy", count=125)]
            api("POST", "/ack/batch", {"acks": acks})
            done[0] += len(acks)
            stop.wait(max(0.0, 0.25 - (time.monotonic() - began)))

    thread = threading.Thread(target=load)
    thread.start()
    began = time.monotonic()
    try:
        log = page.get_by_role("log", name="Events")
        expect(log).to_contain_text("completed")
        page.get_by_role("button", name="Pause", exact=True).click()
        before = log.inner_text()
        page.wait_for_timeout(1_500)
        assert log.inner_text() == before
        page.get_by_role("button", name=re.compile(r"Resume \([\d,]+ new\)")).click()
        expect(log).not_to_have_text(before)
        longest = page.evaluate(
            """() => new Promise((resolve) => {
                let last = performance.now(), longest = 0, frames = 0;
                const tick = (now) => {
                    longest = Math.max(longest, now - last); last = now;
                    if (++frames < 90) requestAnimationFrame(tick); else resolve(longest);
                };
                requestAnimationFrame(tick);
            })"""
        )
    finally:
        stop.set()
        thread.join()
    elapsed = time.monotonic() - began
    figure(
        f"live tail: {done[0] / elapsed:.0f} jobs/s, {len(asked)} requests in {elapsed:.1f} s, "
        f"longest frame {longest:.0f} ms"
    )
    # Only what is asked on a beat anyway: no event leads to a question.
    assert len(asked) < 6 + elapsed * 2


def test_a_page_can_be_held_still(go, api):
    api.enqueue("still")
    page = go("queues")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="still", exact=True))
    expect(row.get_by_role("cell").nth(1)).to_have_text("1")
    page.get_by_role("button", name="Pause live updates").click()
    api.enqueue("still")
    page.wait_for_timeout(1_000)
    expect(row.get_by_role("cell").nth(1)).to_have_text("1")
    page.get_by_role("button", name="Resume live updates").click()
    expect(row.get_by_role("cell").nth(1)).to_have_text("2")


#: Headless Chromium shows every tab at once, so tabs are told whether they are seen.
TURN = """(state) => {
    Object.defineProperty(document, 'visibilityState', {value: state, configurable: true});
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_eight_tabs_share_the_six_connections_of_a_browser(context, node, api):
    """Only the tab that is seen has a stream, so the others leave it room to ask, and catch up when seen."""
    api.enqueue("tabbed")
    tabs = []
    for count in range(1, 9):
        tab = context.new_page()
        tab.set_default_timeout(15_000)
        tab.goto(node.ui + "queues")
        row = tab.get_by_role("row").filter(has=tab.get_by_role("link", name="tabbed", exact=True))
        expect(row.get_by_role("cell").nth(1)).to_have_text(str(count))
        expect(tab.get_by_role("status").filter(has_text="Live")).to_be_visible()
        tab.evaluate(TURN, "hidden")
        expect(tab.get_by_role("status").filter(has_text="Paused while hidden")).to_be_visible()
        expect(tab.locator(".stale").first).to_be_visible()
        tabs.append((tab, row))
        api.enqueue("tabbed")
    first, row = tabs[0]
    expect(row.get_by_role("cell").nth(1)).to_have_text("1")
    first.evaluate(TURN, "visible")
    expect(row.get_by_role("cell").nth(1)).to_have_text("9")
    expect(first.locator(".stale")).to_have_count(0)
    api.enqueue("tabbed")
    expect(row.get_by_role("cell").nth(1)).to_have_text("10")


def test_a_page_whose_parts_do_not_arrive_tries_again_by_itself(page, node, api):
    api.enqueue("parts")
    asked: list[str] = []

    def lose_the_first(route):
        asked.append(route.request.url)
        route.abort() if len(asked) < 3 else route.continue_()

    page.route(re.compile(r"/assets/index-[^/]+\.js"), lose_the_first)
    page.goto(node.ui + "queues")
    expect(page.get_by_role("alert")).to_contain_text("Trying again")
    expect(page.get_by_role("link", name="parts", exact=True)).to_be_visible()
    page.allow("ERR_FAILED")
    assert len(asked) >= 3


def test_a_node_that_dies_greys_the_panels_and_comes_back_by_itself(own, page):
    own.api.enqueue("survivor")
    page.goto(own.ui)
    expect(page.get_by_role("link", name="survivor", exact=True)).to_be_visible()
    page.allow("net::ERR_")
    own.kill()
    expect(page.get_by_role("alert").first).to_contain_text("The node does not answer", timeout=20_000)
    expect(page.locator(".stale").first).to_be_visible()
    expect(page.get_by_role("link", name="survivor", exact=True)).to_be_visible()
    own.start()
    own.api.enqueue("newcomer")
    expect(page.get_by_role("alert")).to_have_count(0, timeout=20_000)
    expect(page.locator(".stale")).to_have_count(0)
    expect(page.get_by_role("link", name="newcomer", exact=True)).to_be_visible()


def test_nobody_asks_why_a_job_that_has_ended_does_not_run(page, node, api):
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/explain" in request.url else None)
    job_id = api.enqueue("ended")
    page.goto(f"{node.ui}jobs/{job_id}")
    expect(page.get_by_role("region", name="Why is it not running?")).to_be_visible()
    (job,) = api.fetch("ended")
    api("POST", f"/ack/{job['job_id']}", {})
    expect(page.get_by_role("heading", level=1)).to_contain_text("completed")
    page.goto(f"{node.ui}jobs/{job_id}?again")
    asked.clear()
    expect(page.get_by_role("region", name="History")).to_contain_text("Completed")
    expect(page.get_by_role("heading", level=1)).to_contain_text("completed")
    assert asked == []
