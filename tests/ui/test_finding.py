"""Finding what one looks for: journeys from a question to its answer."""

import re

from playwright.sync_api import expect


def query(page, text):
    bar = page.get_by_role("combobox", name="Query")
    bar.fill(text)
    bar.press("Enter")


def rows(page):
    return page.get_by_role("table", name="Jobs").get_by_role("row").filter(has=page.get_by_role("checkbox"))


def test_a_failed_job_is_found_by_its_error_and_retried(go, api):
    job_id = api.kill("mail", "SMTP timeout after 30s", {"to": "ann@example.com"})
    api.kill("mail", "no such mailbox")

    page = go("jobs")
    query(page, 'queue:mail state:dead error~"timeout"')
    page.get_by_role("link", name=re.compile(job_id[-8:])).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(job_id)
    expect(page.get_by_text("SMTP timeout after 30s").first).to_be_visible()
    page.get_by_role("button", name="Retry", exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("pending")
    expect(page.get_by_text("Retried by hand")).to_be_visible()
    assert api.job(job_id)["state"] == "pending"


def test_the_query_bar_completes_fields_and_values_that_exist(go, api):
    api.kill("completed.queue", "boom")
    page = go("jobs")
    bar = page.get_by_role("combobox", name="Query")
    bar.press_sequentially("sta")
    expect(page.get_by_role("option", name=re.compile("^state:"))).to_be_visible()
    bar.press("Tab")
    bar.press_sequentially("de")
    bar.press("Tab")
    bar.press_sequentially("queue:compl")
    expect(page.get_by_role("option", name="completed.queue")).to_be_visible()
    bar.press("Tab")
    bar.press("Enter")
    expect(page).to_have_url(re.compile("q=state%3Adead\\+queue%3Acompleted.queue"))
    expect(rows(page).nth(1)).to_contain_text("boom")
    expect(rows(page)).to_have_count(2)


def test_a_query_that_cannot_be_read_says_what_was_expected_and_where(go):
    page = go("jobs")
    query(page, "state:dying")
    page.get_by_role("heading", level=1).click()
    expect(page.get_by_text("state is one of scheduled, pending").first).to_be_visible()
    expect(page.get_by_role("combobox", name="Query")).to_have_attribute("aria-invalid", "true")


def test_the_address_is_the_filter_and_a_view_can_be_kept(go, api):
    api.enqueue("views", {"plan": "pro"}, tags={"tenant": "acme"})
    api.enqueue("views", {"plan": "free"}, tags={"tenant": "globex"})
    page = go('jobs?q=queue%3Aviews+payload.plan+%3D%3D+"pro"+tag.tenant%3Aacme')
    expect(rows(page)).to_have_count(2)
    page.get_by_role("button", name="Views").click()
    page.get_by_role("menuitem", name="Save this view…").click()
    page.get_by_role("textbox", name="Name").fill("Pro of acme")
    page.get_by_role("button", name="Save", exact=True).click()
    page = go("jobs")
    page.get_by_role("button", name="Views").click()
    page.get_by_role("menuitem", name="Pro of acme").click()
    expect(rows(page)).to_have_count(2)


def test_the_form_of_a_queue_writes_the_query(go, api):
    api.kill("forms", "disk full")
    api.enqueue("forms", {"x": 1})
    page = go("queues/forms")
    page.get_by_role("button", name="Form").click()
    page.get_by_role("checkbox", name="dead").check()
    page.get_by_label("Error holds").fill("disk")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("combobox", name="Query")).to_have_value("state:dead error~disk")
    expect(rows(page)).to_have_count(2)


def test_failures_are_grouped_by_what_they_have_in_common_and_retried_together(go, api):
    ids = [api.kill("grouped", f"user {n} not found") for n in (17, 4711, 99)]
    api.kill("grouped", "disk full")
    page = go("failures?q=queue%3Agrouped")
    group = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="user … not found"))
    expect(group).to_contain_text("3 dead")
    group.get_by_role("button", name="Retry group").click()
    page.get_by_role("button", name="Retry 3 jobs").click()
    expect(page.get_by_text("3 jobs retried")).to_be_visible()
    expect(page.get_by_role("heading", name="user … not found")).to_have_count(0)
    assert {api.job(job_id)["state"] for job_id in ids} == {"pending"}


def test_why_a_job_waits_is_told_and_changes_when_the_reason_goes(go, api):
    api("POST", "/queues/stuck/pause")
    job_id = api.enqueue("stuck", {"n": 1})
    page = go(f"jobs/{job_id}")
    why = page.get_by_role("region", name="Why is it not running?")
    expect(why).to_contain_text("Queue stuck is paused")
    expect(why).to_contain_text("No worker listens to queue stuck")
    api("POST", "/queues/stuck/resume")
    expect(why).not_to_contain_text("paused")


def test_a_job_shows_its_true_history_and_every_attempt_with_its_stack(go, api):
    job_id = api.enqueue("storied", {"id": 1}, max_retries=3, retry_base_delay="1ms", retry_backoff="fixed")
    for attempt in (1, 2):
        (job,) = api.fetch("storied", worker=f"w-{attempt}")
        api.fail(job["job_id"], f"boom {attempt}", backtrace="Traceback:\n  line 1")
    page = go(f"jobs/{job_id}")
    history = page.get_by_role("region", name="History")
    expect(history.get_by_text("Attempt 1 failed")).to_be_visible()
    expect(history.get_by_text("by w-2")).to_be_visible()
    attempts = page.get_by_role("region", name="Attempts")
    expect(attempts.get_by_role("listitem")).to_have_count(2)
    expect(attempts).to_contain_text("Traceback:")
    expect(attempts.get_by_role("listitem").nth(1)).to_contain_text("w-1")


def test_big_numbers_in_a_payload_keep_their_digits(go, api):
    job_id = api.enqueue("exact", {"id": 12345678901234567890})
    page = go(f"jobs/{job_id}")
    expect(page.get_by_label("payload", exact=True)).to_contain_text("12345678901234567890")


def test_a_chain_is_drawn_with_what_is_done_and_what_is_to_come(go, api):
    steps = [{"queue": "c.one"}, {"queue": "c.two"}, {"queue": "c.three"}]
    job_id = api.enqueue("c.one", {}, chain={"steps": steps, "on_failure": {"queue": "c.alarm"}})
    api.fetch("c.one")
    api("POST", f"/ack/{job_id}", {"result": 1})
    page = go(f"jobs/{job_id}")
    graph = page.get_by_role("group", name="Graph of jobs that belong together")
    for text in ("1. c.one", "2. c.two", "3. c.three"):
        expect(graph.get_by_text(text)).to_be_visible()
    graph.get_by_role("link", name=re.compile("c.two")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("pending")


def test_a_batch_shows_how_far_it_is(go, api):
    jobs = [{"queue": "albums", "payload": {"n": n}} for n in range(4)]
    made = api("POST", "/enqueue/batch", {"jobs": jobs, "batch": {"callback_queue": "ready"}})
    for job in api.fetch("albums", count=3):
        api("POST", f"/ack/{job['job_id']}", {})
    page = go("batches")
    page.get_by_role("link", name=made["batch_id"]).click()
    expect(page.get_by_role("img", name="3 done, 0 failed, 1 to come of 4")).to_be_visible()
    expect(rows(page)).to_have_count(5)


def test_a_worker_shows_what_it_works_on(go, api):
    job_id = api.enqueue("fleet", {"n": 1})
    api.fetch("fleet", worker="pod/7", host="host-7")
    page = go("workers")
    page.get_by_role("link", name="pod/7").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("pod/7")
    expect(page.get_by_role("link", name=re.compile(job_id[-8:]))).to_be_visible()


def test_what_is_not_there_is_said_to_be_missing(go):
    page = go("jobs/job_01ARZ3NDEKTSV4RRFFQ69G5FAV")
    expect(page.get_by_role("alert")).to_contain_text("does not exist")
    expect(page.get_by_role("link", name="Search all jobs")).to_be_visible()
    page.allow("status of 404")
    page = go("no/such/page")
    expect(page.get_by_text("There is no such page")).to_be_visible()
