"""Scale: a node with a hundred thousand jobs. Prints what a Lighthouse would, and how smooth scrolling is."""

from playwright.sync_api import expect

JOBS = 100_000


def crowd(node):
    jobs = [
        {"queue": f"bulk.{n % 20}", "payload": {"n": n, "to": f"user{n}@example.com"}} for n in range(JOBS)
    ]
    node.api.enqueue_many(jobs)
    # A search waits for the mirror, so that it is measured by itself.
    assert node.api("POST", "/jobs/search", {"limit": 1})["total"] == JOBS


def test_a_hundred_thousand_jobs_are_no_burden(browser, node, figure):
    """One test, because filling the node takes longer than looking at it."""
    crowd(node)
    first_page(browser, node, figure)
    rows_scroll(browser, node, figure)


def first_page(browser, node, figure):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(
        """new PerformanceObserver((list) => {
            for (const {startTime, duration} of list.getEntries())
                (window.tasks ??= []).push(startTime + duration);
        }).observe({type: 'longtask', buffered: true});"""
    )
    sizes: list[int] = []
    page.on(
        "requestfinished",
        lambda request: sizes.append(request.sizes()["responseBodySize"]) if "/ui/" in request.url else None,
    )
    page.goto(node.ui)
    expect(page.get_by_role("link", name="bulk.0", exact=True)).to_be_visible()
    shown_ms = page.evaluate("performance.now()")
    page.wait_for_timeout(500)
    paint_ms = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    interactive_ms = max(paint_ms, page.evaluate("Math.max(0, ...(window.tasks ?? []))"))
    context.close()
    figure(
        f"{JOBS:,} jobs: first contentful paint {paint_ms:.0f} ms, interactive {interactive_ms:.0f} ms, "
        f"queues shown {shown_ms:.0f} ms, {sum(sizes) / 1000:.0f} kB of UI"
    )
    assert sum(sizes) < 250_000


def rows_scroll(browser, node, figure):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(node.ui + "jobs?q=limit%3A1000")
    table = page.get_by_role("table", name="Jobs")
    expect(table).to_be_visible()
    expect(page.get_by_text("100,000 jobs").first).to_be_visible()
    loaded = page.wait_for_function(
        """() => {
            const rows = Math.round(document.querySelector('[role=rowgroup][style]').offsetHeight / 44);
            if (rows >= 10_000) return rows;
            scrollTo(0, document.body.scrollHeight);
        }""",
        polling=100,
        timeout=60_000,
    ).json_value()
    drawn = table.get_by_role("row").count()
    frames = page.evaluate(
        """() => new Promise((resolve) => {
            scrollTo(0, 0);
            const times = []; let last = performance.now();
            const tick = (now) => {
                times.push(now - last); last = now; scrollBy(0, 400);
                if (times.length < 120) requestAnimationFrame(tick);
                else resolve(times.slice(5).sort((a, b) => a - b));
            };
            requestAnimationFrame(tick);
        })"""
    )
    context.close()
    median, worst = frames[len(frames) // 2], frames[-1]
    figure(f"{loaded:,} rows loaded, {drawn} drawn: a frame takes {median:.1f} ms, at worst {worst:.0f} ms")
    # Only rows in sight exist, however many are loaded: that is what keeps it smooth.
    assert drawn < 80
