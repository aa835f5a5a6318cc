"""For everyone: by keyboard, by screen reader, light and dark, behind a prefix."""

import http.client
import re
import socket
import threading
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect

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
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(job_id)


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


class Gateway(ThreadingHTTPServer):
    """A proxy that has the node under /tools/corvo, as a company's would."""

    #: Closing waits for them, so nothing is left open.
    daemon_threads = False

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), Prefixed)
        self.upstream = upstream
        self.lines: set[socket.socket] = set()

    def hang_up(self) -> None:
        """End what is still being passed on: a stream has no end of its own."""
        for line in list(self.lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


class Prefixed(BaseHTTPRequestHandler):
    server: Gateway

    def _pass_on(self):
        assert self.path.startswith("/tools/corvo"), self.path
        length = int(self.headers.get("content-length") or 0)
        with closing(http.client.HTTPConnection(self.server.upstream)) as connection:
            connection.connect()
            line = connection.sock
            self.server.lines.add(line)
            try:
                self._pass_over(connection, length)
            finally:
                self.server.lines.discard(line)

    def _pass_over(self, connection, length):
        headers = {name: value for name, value in self.headers.items() if name.lower() != "accept-encoding"}
        path = self.path.removeprefix("/tools/corvo")
        connection.request(self.command, path, self.rfile.read(length), headers)
        with connection.getresponse() as reply:
            self.send_response(reply.status)
            for name, value in reply.getheaders():
                if name.lower() not in ("transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.end_headers()
            while chunk := reply.read1(65_536):
                self.wfile.write(chunk)
                self.wfile.flush()

    do_GET = do_POST = do_DELETE = do_PUT = _pass_on  # noqa: N815 - names of http.server

    def log_message(self, *args):
        """Quiet."""

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (OSError, http.client.HTTPException):
            # The browser has gone, or the line was hung up in the middle of a chunk.
            self.close_connection = True


def test_it_works_behind_a_prefix_nobody_told_it_about(context, node, api):
    job_id = api.enqueue("prefixed")
    server = Gateway(node.address)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}/tools/corvo"
    page = context.new_page()
    try:
        page.goto(f"{base}/ui")
        page.get_by_role("link", name="prefixed", exact=True).click()
        expect(page).to_have_url(f"{base}/ui/queues/prefixed")
        page.goto(f"{base}/ui/jobs/{job_id}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("pending")
        api("POST", f"/jobs/{job_id}/cancel")
        expect(page.get_by_role("heading", level=1)).to_contain_text("cancelled")
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name=re.compile("curl")).click()
        expect(page.get_by_label("Look at it by curl", exact=True)).to_contain_text(
            f"{base}/api/v1/jobs/{job_id}"
        )
    finally:
        page.close()
        server.shutdown()
        thread.join()
        server.hang_up()
        server.server_close()
