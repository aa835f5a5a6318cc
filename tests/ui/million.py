"""The UI on a node with a million jobs: how long each page, and each of its requests, takes.

    python -m tests.ui.million [--jobs 1000000] [--dead 100000] [--folder DIR] [--serve]

Not a test: nothing is asserted, everything is printed. Filling the node takes one to two minutes; with a
--folder it is kept for the next time, with --serve the node goes on for a look by hand.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Response, expect, sync_playwright

from tests.ui.conftest import CHROMIUM
from tests.ui.served import Served

QUEUES = 20
BATCH = 2_000
PAGES = (
    "",
    "queues",
    "queues/bulk.3",
    "queues/bulk.3?tab=errors",
    "jobs",
    "jobs?q=state%3Apending+sort%3Apriority",
    "jobs?q=payload.n+%3D%3D+123456",
    "jobs?q=tag.tenant%3Aacme",
    "JOB",
    "failures",
    "failures?q=age%3C1h",
    "dead",
    "scheduled",
    "batches",
    "held",
    "workers",
    "operations",
    "events",
    "cluster",
    "settings",
)
LONG_TASKS = """new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) (window.tasks ??= []).push(entry.startTime + entry.duration);
}).observe({type: 'longtask', buffered: true});"""
FRAMES = """() => new Promise((resolve) => {
    scrollTo(0, 0);
    const times = []; let last = performance.now();
    const tick = (now) => {
        times.push(now - last); last = now; scrollBy(0, 400);
        if (times.length < 180) requestAnimationFrame(tick);
        else resolve(times.slice(5).sort((a, b) => a - b));
    };
    requestAnimationFrame(tick);
})"""


def jobs(count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        tags = {"tenant": "acme"} if n % 50_000 == 0 else {"tenant": f"t{n % 97}"}
        payload = {"n": n, "to": f"user{n}@example.com"}
        yield {"queue": f"bulk.{n % QUEUES}", "payload": payload, "tags": tags, "max_retries": 1}


def fill(node: Served, count: int, dead: int) -> None:
    began = time.monotonic()
    batch: list[dict[str, Any]] = []
    for job in jobs(count):
        batch.append(job)
        if len(batch) == BATCH:
            node.api("POST", "/enqueue/batch", {"jobs": batch})
            batch.clear()
    print(f"{count:,} jobs enqueued in {time.monotonic() - began:.0f} s")
    began = time.monotonic()
    killed = 0
    while killed < dead:
        for job in node.api.fetch(*(f"bulk.{n}" for n in range(QUEUES)), count=500):
            error = f"{('SMTP timeout', 'user not found', 'disk full')[killed % 3]} for {job['payload']['n']}"
            node.api.fail(job["job_id"], error)
            killed += 1
    print(f"{killed:,} of them failed in {time.monotonic() - began:.0f} s")


def look(browser: Browser, node: Served, path: str) -> None:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(LONG_TASKS)
    slow: list[tuple[float, str]] = []

    def finished(reply: Response) -> None:
        timing = reply.request.timing
        if "/api/" in reply.url and "/events" not in reply.url:
            slow.append((timing["responseStart"] - timing["requestStart"], reply.url.partition("/api/v1")[2]))

    page.on("response", finished)
    page.goto(node.ui + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
    expect(page.get_by_text("Loading")).to_have_count(0, timeout=30_000)
    shown_ms = page.evaluate("performance.now()")
    page.wait_for_timeout(700)
    busy_ms = page.evaluate("Math.max(0, ...(window.tasks ?? []))")
    slowest = max(slow, default=(0.0, ""))
    print(
        f"{path[:44]:44} shown {shown_ms:5.0f} ms, interactive {max(busy_ms, 0):5.0f} ms, "
        f"{len(slow):2} requests, slowest {slowest[0]:5.0f} ms {slowest[1][:60]}",
        flush=True,
    )
    page.context.close()


def scroll(browser: Browser, node: Served) -> None:
    page: Page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(node.ui + "jobs?q=limit%3A1000")
    expect(page.get_by_role("table", name="Jobs")).to_be_visible(timeout=30_000)
    rows = page.wait_for_function(
        """() => {
            const rows = Math.round(document.querySelector('[role=rowgroup][style]').offsetHeight / 44);
            if (rows >= 10_000) return rows;
            scrollTo(0, document.body.scrollHeight);
        }""",
        polling=100,
        timeout=120_000,
    ).json_value()
    frames = page.evaluate(FRAMES)
    median, late = frames[len(frames) // 2], sum(frame > 34 for frame in frames)
    print(f"{rows:,} rows loaded: a frame takes {median:.1f} ms, {late} of {len(frames)} over 34 ms")
    page.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--dead", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--serve", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary) / "data"
        folder.parent.mkdir(parents=True, exist_ok=True)
        is_new = not folder.exists()
        node = Served(folder)
        try:
            if is_new:
                fill(node, arguments.jobs, arguments.dead)
            (job,) = node.api("POST", "/jobs/search", {"state": ["dead"], "limit": 1})["jobs"]
            with sync_playwright() as playwright:
                flags = ["--no-sandbox", "--disable-gpu"]
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
                for path in PAGES:
                    look(browser, node, f"jobs/{job['id']}" if path == "JOB" else path)
                scroll(browser, node)
                browser.close()
            if arguments.serve:
                input(f"{node.ui} is yours; Enter ends it. ")
        finally:
            node.stop()


if __name__ == "__main__":
    main()
