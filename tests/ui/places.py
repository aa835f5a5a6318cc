"""Every page of the UI, and how to get there."""

import re

from playwright.sync_api import expect

PAGES = (
    "",
    "queues",
    "queues/billing.charge",
    "jobs",
    "queues/billing.charge?tab=errors",
    "failures",
    "dead",
    "held",
    "scheduled",
    "batches",
    "workers",
    "worker?id=mail-7f9c-1",
    "events",
    "operations",
    "webhooks",
    "cluster",
    "keys",
    "roles",
    "namespaces",
    "sessions",
    "audit",
    "sso",
    "settings",
    "JOB",
)


def visit(page, node, path):
    """Go there as a click would: without loading the page anew."""
    page.evaluate("(url) => { document.title = ''; history.pushState({}, '', url); }", node.ui + path)
    expect(page).to_have_title(re.compile("."))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("Loading")).to_have_count(0)
