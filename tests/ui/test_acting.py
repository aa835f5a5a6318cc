"""Acting: what will happen is said before, done once, and undone where that is exact."""

import re

from playwright.sync_api import expect

from tests.ui.test_finding import rows


def select_all(page):
    page.get_by_role("checkbox", name="Select all loaded jobs").check()


def test_many_jobs_are_previewed_held_and_let_go_again(go, api):
    ids = api.enqueue_many([{"queue": "undo", "payload": {"n": n}} for n in range(7)])
    page = go("jobs?q=queue%3Aundo")
    expect(rows(page)).to_have_count(8)
    select_all(page)
    page.get_by_role("button", name="Hold", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("7 jobs")
    expect(dialog).to_contain_text("Five of them")
    expect(dialog.get_by_role("img", name="7 pending")).to_be_visible()
    dialog.get_by_label("Reason").fill("let us look first")
    dialog.get_by_role("button", name="Hold 7 jobs").click()
    expect(page.get_by_text("7 jobs held")).to_be_visible()
    assert {api.job(job_id)["state"] for job_id in ids} == {"held"}
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("7 jobs approved")).to_be_visible()
    assert {api.job(job_id)["state"] for job_id in ids} == {"pending"}


def test_all_that_fit_are_moved_in_the_background_at_a_pace_and_stopped(go, api):
    api.enqueue_many([{"queue": "crowd", "payload": {"n": n}} for n in range(400)])
    page = go("jobs?q=queue%3Acrowd+state%3Apending")
    rows(page).nth(1).get_by_role("checkbox").check()
    page.get_by_role("button", name="Select all 400").click()
    page.get_by_role("button", name="Move", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("To the queue").fill("elsewhere")
    dialog.get_by_text("Pace, and the same").click()
    dialog.get_by_label("Jobs per second").fill("20")
    expect(dialog.get_by_label("CLI", exact=True)).to_contain_text("corvo bulk move elsewhere --query")
    dialog.get_by_role("button", name="Move 400 jobs to elsewhere").click()
    expect(page).to_have_url(re.compile("/operations/bulk_"))
    expect(page.get_by_role("progressbar", name="Progress of the operation")).to_be_visible()
    page.get_by_role("button", name="Cancel operation").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("cancelled")
    assert api("GET", "/queues/elsewhere")["pending"] < 400
    page.get_by_role("link", name="Operations").first.click()
    expect(page.get_by_role("link", name=re.compile("Move .* jobs to elsewhere"))).to_be_visible()


def test_choosing_all_that_fit_is_forgotten_with_the_choice(go, api):
    api.enqueue_many([{"queue": "few", "payload": {"n": n}} for n in range(4)])
    page = go("jobs?q=queue%3Afew")
    rows(page).nth(1).get_by_role("checkbox").check()
    page.get_by_role("button", name="Select all 4").click()
    expect(page.get_by_text("All 4 jobs that fit")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("All 4 jobs that fit")).to_have_count(0)
    rows(page).nth(2).get_by_role("checkbox").check()
    expect(page.get_by_text("1 job selected")).to_be_visible()


def test_deleting_many_needs_their_number(go, api):
    ids = api.enqueue_many([{"queue": "doomed", "payload": {"n": n}} for n in range(3)])
    page = go("queues/doomed")
    select_all(page)
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Delete 3 jobs")
    expect(button).to_be_disabled()
    dialog.get_by_label(re.compile("cannot be undone")).fill("3")
    button.click()
    expect(page.get_by_text("3 jobs deleted")).to_be_visible()
    expect(page.get_by_text("This queue is empty")).to_be_visible()
    assert api("POST", "/jobs/bulk-get", {"job_ids": ids})["jobs"] == []


def test_a_queue_is_paused_and_goes_on_by_undo(go, api):
    api.enqueue("toggled")
    page = go("queues/toggled")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("paused")
    assert api("GET", "/queues/toggled")["paused"]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("paused")
    assert not api("GET", "/queues/toggled")["paused"]


def test_limits_are_changed_and_taken_back(go, api):
    api.enqueue("limited")
    page = go("queues/limited")
    page.get_by_role("button", name="Limits").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Jobs active at once").fill("5")
    dialog.get_by_label("Jobs begun").fill("100")
    dialog.get_by_label("within").fill("1m")
    expect(dialog).to_contain_text("At most 5 jobs of it run at once, and at most 100 begin within 1m.")
    dialog.get_by_role("button", name="Save limits").click()
    expect(page.get_by_text("0 of 5")).to_be_visible()
    expect(page.get_by_text("100 per 1m").first).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("0 of 5")).to_have_count(0)
    assert "max_concurrency" not in api("GET", "/queues/limited")


def test_destroying_a_queue_needs_its_name(go, api):
    api.enqueue("old.stuff")
    page = go("queues/old.stuff")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Destroy…").click()
    dialog = page.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Destroy old.stuff")
    dialog.get_by_role("textbox").fill("old.stuf")
    expect(button).to_be_disabled()
    dialog.get_by_role("textbox").fill("old.stuff")
    button.click()
    expect(page).to_have_url(re.compile("/ui/queues$"))
    assert "old.stuff" not in [queue["name"] for queue in api("GET", "/queues")]
    page.allow("status of 404")  # It looked for the queue once more.


def test_clearing_a_queue_says_what_goes_and_what_stays(go, api):
    api.enqueue_many([{"queue": "cleared", "payload": {}} for _ in range(4)])
    api.fetch("cleared")
    page = go("queues/cleared")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Clear…").click()
    expect(page.get_by_role("dialog")).to_contain_text("Removes 3 pending jobs and 0 scheduled jobs")
    page.get_by_role("button", name="Remove 3 jobs").click()
    expect(page.get_by_text("cleared cleared: 3 jobs removed")).to_be_visible()
    assert api("GET", "/queues/cleared")["active"] == 1


def test_a_job_is_enqueued_from_a_form_that_watches_its_json(go, api):
    page = go("settings")
    page.get_by_role("button", name="Enqueue a job").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Queue").fill("by.hand")
    dialog.get_by_label("Payload").fill('{"n": }')
    expect(dialog.get_by_text(re.compile("Line 1, column"))).to_be_visible()
    expect(dialog.get_by_role("button", name="Enqueue", exact=True)).to_be_disabled()
    dialog.get_by_label("Payload").fill('{"n": 12345678901234567890}')
    dialog.get_by_text("More options").click()
    dialog.get_by_label("Attempts at most").fill("7")
    dialog.get_by_label("Tags").fill("tenant=acme")
    dialog.get_by_role("button", name="Enqueue", exact=True).click()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_label("payload", exact=True)).to_contain_text("12345678901234567890")
    (job,) = api("POST", "/jobs/search", {"queue": "by.hand"})["jobs"]
    assert (job["max_retries"], job["tags"]) == (7, {"tenant": "acme"})
    assert job["payload"] == {"n": 12345678901234567890}


def test_a_job_is_cloned_with_a_change(go, api):
    job_id = api.kill("cloned", "boom", {"to": "ann"})
    page = go(f"jobs/{job_id}")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Clone…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Payload")).to_have_value(re.compile("ann"))
    dialog.get_by_label("Payload").fill('{"to": "bela"}')
    dialog.get_by_role("button", name="Enqueue", exact=True).click()
    expect(page.get_by_text(re.compile("Enqueued .* in cloned"))).to_be_visible()
    assert [job["payload"] for job in api("POST", "/jobs/search", {"queue": "cloned"})["jobs"]] == [
        {"to": "bela"},
        {"to": "ann"},
    ]


def test_a_job_is_moved_and_moved_back(go, api):
    job_id = api.enqueue("here")
    page = go(f"jobs/{job_id}")
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("dialog").get_by_label("To the queue").fill("there")
    page.get_by_role("button", name="Move to there").click()
    expect(page.get_by_text("from here to there")).to_be_visible()
    assert api.job(job_id)["queue"] == "there"
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("from there to here")).to_be_visible()
    assert api.job(job_id)["queue"] == "here"


def test_held_jobs_are_approved_and_rejected_with_a_reason(go, api):
    refund, other = api.enqueue("refunds", {"eur": 900}), api.enqueue("refunds", {"eur": 9})
    for job_id in (refund, other):
        api("POST", f"/jobs/{job_id}/hold", {"reason": f"look at {job_id[-4:]}"})
    page = go("held")
    card = page.get_by_role("listitem").filter(has_text=f"look at {refund[-4:]}")
    card.get_by_role("button", name="Approve").click()
    expect(card).to_have_count(0)
    card = page.get_by_role("listitem").filter(has_text=f"look at {other[-4:]}")
    card.get_by_role("button", name="Reject").click()
    page.get_by_label("Reason").fill("not ours")
    page.get_by_role("dialog").get_by_role("button", name="Reject").click()
    expect(card).to_have_count(0)
    assert api.job(refund)["state"] == "pending"
    assert "not ours" in api.job(other)["last_error"]


def test_a_schedule_shows_its_runs_before_it_is_saved(go, api):
    page = go("scheduled")
    page.get_by_role("button", name="New schedule").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("nightly")
    dialog.get_by_label("Queue").fill("reports")
    dialog.get_by_label("Cron").fill("61 * * * *")
    expect(dialog.get_by_role("alert")).to_be_visible()
    page.allow("status of 400")
    dialog.get_by_label("Cron").fill("30 2 * * 1-5")
    dialog.get_by_label("Time zone").select_option("Europe/Berlin")
    expect(dialog.get_by_text("At 02:30, Monday through Friday")).to_be_visible()
    expect(dialog.get_by_role("list", name="Next runs").get_by_role("listitem")).to_have_count(5)
    expect(dialog.get_by_role("list", name="Next runs")).to_contain_text("02:30:00+0")
    dialog.get_by_role("button", name="Save schedule").click()
    card = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="nightly"))
    expect(card).to_contain_text("At 02:30, Monday through Friday")
    card.get_by_role("button", name="Run now").click()
    expect(page.get_by_text(re.compile("^Enqueued job_"))).to_be_visible()
    card.get_by_role("switch", name="Enable nightly").click()
    expect(card.get_by_role("switch", name="Enable nightly")).not_to_be_checked()
    expect(card).to_contain_text("off")
    for _ in range(200):  # The page shows what it asked for before the server has answered.
        (schedule,) = api("GET", "/schedules")
        if not schedule["enabled"]:
            break
        page.wait_for_timeout(50)
    assert (schedule["enabled"], schedule["timezone"]) == (False, "Europe/Berlin")
    assert api("GET", "/queues/reports")["pending"] == 1


def test_a_webhook_is_made_pinged_and_switched_off(go, api):
    page = go("webhooks")
    page.get_by_role("button", name="New webhook").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Address").fill("http://127.0.0.1:9/hook")
    dialog.get_by_role("button", name="Save webhook").click()
    # Addresses within the house are refused unless the node is told otherwise; the page says so.
    expect(page.get_by_text(re.compile("Could not save"))).to_be_visible()
    page.allow("status of 400", "status of 422")
    dialog.get_by_label("Address").fill("https://hooks.invalid/corvo")
    dialog.get_by_label("Secret").fill("a long random text")
    dialog.get_by_role("button", name="Save webhook").click()
    card = page.get_by_role("listitem").filter(has_text="https://hooks.invalid/corvo")
    expect(card).to_contain_text("signed")
    card.get_by_role("button", name="Send a ping").click()
    expect(page.get_by_text(re.compile("Could not send"))).to_be_visible()
    card.get_by_role("switch").click()
    expect(page.get_by_text("It is switched off")).to_be_visible()
    (webhook,) = api("GET", "/webhooks")
    assert (webhook["enabled"], webhook["events"]) == (False, ["dead"])
