"""Pictures of every page for docs/screenshots, of a node with an hour of work behind it."""

import asyncio
import tempfile
import threading
from operator import itemgetter
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from chaos.group import Group
from tests.ui.api import Api
from tests.ui.conftest import CHROMIUM
from tests.ui.showcase import run

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
PAGES = {
    "overview": "",
    "queues": "queues",
    "queue": "queues/emails.send",
    "jobs": "jobs",
    "job": "{job}",
    "job-in-a-chain": "{chained}",
    "failures": "failures",
    "dead-letters": "dead",
    "held": "held",
    "scheduled": "scheduled",
    "batches": "batches",
    "batch": "{batch}",
    "workers": "workers",
    "worker": "{worker}",
    "events": "events",
    "operations": "operations",
    "operation": "{operation}",
    "webhooks": "webhooks",
    "cluster": "cluster",
    "settings": "settings",
}
SMALL = ("overview", "jobs", "job", "held")


def take(address: str) -> None:
    api = Api(address)
    first = {
        "job": api("POST", "/jobs/search", {"unique_key": "welcome-ann"})["jobs"][0]["id"],
        "chained": api("POST", "/jobs/search", {"queue": "etl.transform"})["jobs"][0]["id"],
    }
    ids = {name: f"jobs/{job_id}" for name, job_id in first.items()} | {
        "batch": f"batches/{api('GET', '/batches')['batches'][0]['id']}",
        "worker": f"worker?id={max(api('GET', '/workers'), key=itemgetter('active_jobs'))['id']}",
        "operation": f"operations/{api('GET', '/bulk')['tasks'][0]['id']}",
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for theme in ("dark", "light"):
            for width, height, names in ((1440, 900, tuple(PAGES)), (390, 844, SMALL)):
                small = "" if width > 1_000 else "-small"
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
                page = context.new_page()
                for name in names:
                    page.goto(f"http://{address}/ui/{PAGES[name].format(**ids)}")
                    _settle(page, name)
                    path = FOLDER / f"{name}-{theme}{small}.png"
                    page.screenshot(path=path)
                context.close()
        browser.close()
    api.close()


def take_three(folder: Path) -> None:
    """The cluster page of three nodes, whose leader was just killed."""
    group = Group(folder)
    try:
        group.form()
        leader = group.until_leading()
        witness = next(server for node_id, server in group.servers.items() if node_id != leader)
        address = f"127.0.0.1:{witness.port}"
        api = Api(address)
        api.enqueue_many([{"queue": "emails", "payload": {"n": n}} for n in range(500)])
        api.close()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="dark")
            page.goto(f"http://{address}/ui/cluster")
            expect(page.get_by_role("region", name="Nodes").get_by_role("listitem")).to_have_count(3)
            group.servers[leader].kill()
            expect(page.get_by_role("alert")).to_contain_text("cannot be reached", timeout=30_000)
            expect(page.get_by_role("region", name="Consensus")).to_contain_text("leads", timeout=30_000)
            page.wait_for_timeout(4_000)
            page.screenshot(path=FOLDER / "cluster-of-three-dark.png")
            browser.close()
    finally:
        group.close()


def _settle(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("Loading")).to_have_count(0)
    if name == "events":
        page.get_by_role("button", name="Replay last 1,000").click()
        expect(page.get_by_role("log")).to_be_visible(timeout=20_000)
    page.wait_for_timeout(700)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    done: list[BaseException | None] = []

    async def shoot() -> None:
        ready = asyncio.Event()
        loop = asyncio.get_running_loop()
        addresses: list[str] = []

        def tell(address: str) -> None:
            addresses.append(address)
            loop.call_soon_threadsafe(ready.set)

        serving = asyncio.ensure_future(run(0, 0, ready=tell))
        await ready.wait()
        finished = asyncio.Event()

        def work() -> None:
            try:
                take(addresses[0])
                done.append(None)
            except BaseException as error:
                done.append(error)
            loop.call_soon_threadsafe(finished.set)

        threading.Thread(target=work).start()
        await finished.wait()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(shoot())
    if done[0] is not None:
        raise done[0]
    with tempfile.TemporaryDirectory() as folder:
        take_three(Path(folder))


if __name__ == "__main__":
    main()
