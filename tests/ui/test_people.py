"""Who somebody is: login by key and by provider, what is offered to whom, and the pages about it."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.oidc_provider import CLIENT_ID, providing
from tests.ui.places import visit
from tests.ui.served import Served
from tests.ui.test_everyone import serious

LOGIN = "Log in to Corvo"
#: What a browser says of an answer that is meant to be a refusal.
REFUSED = ("status of 401", "status of 403")


@pytest.fixture
def shut(tmp_path):
    """A node with its first key, which `api` shows."""
    served = Served(tmp_path / "shut")
    made = served.api("POST", "/auth/keys", {"name": "root", "role": "admin", "namespace": "*"})
    served.api.key = made["api_key"]
    yield served
    served.stop()


def new_key(node, **fields):
    return node.api("POST", "/auth/keys", {"name": "k"} | fields)["api_key"]


def log_in(page, node, key, path=""):
    page.allow(*REFUSED)
    page.goto(node.ui + path)
    expect(page.get_by_role("heading", level=1)).to_have_text(LOGIN)
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name=LOGIN)).to_have_count(0)


def test_people_log_in_with_a_key_see_the_page_they_wanted_and_log_out(shut, page):
    page.allow(*REFUSED)
    shut.api.enqueue("mail.send")
    page.goto(shut.ui + "queues")
    expect(page.get_by_role("heading", level=1)).to_have_text(LOGIN)
    assert serious(page) == []
    page.get_by_label("API key").fill("corvo_wrong")
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("characters")
    page.get_by_label("API key").fill(shut.api.key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Queues")
    expect(page.get_by_role("link", name="mail.send")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
    expect(page.get_by_role("region", name="You")).to_contain_text("root")
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert "corvo_" not in kept
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Queues")
    page.get_by_role("button", name="Pause mail.send").click()
    expect(page.get_by_text("mail.send is paused")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(LOGIN)
    expect(page.get_by_text("mail.send")).to_have_count(0)
    assert shut.api("GET", "/auth/sessions") == []


def test_people_log_in_by_their_provider(shut, page):
    page.allow(*REFUSED)
    with providing() as provider:
        provider.control(claims={"email": "ann@example.com", "groups": ["ops"]})
        settings = {
            "provider": "oidc",
            "oidc_issuer_url": provider.issuer,
            "oidc_client_id": CLIENT_ID,
            "group_role_mappings": {"ops": "operator"},
        }
        shut.api("POST", "/settings/sso", settings)
        page.goto(shut.ui + "jobs?q=state%3Adead")
        page.get_by_role("link", name="Log in with single sign-on").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("The provider")
        page.get_by_role("link", name="Log in as Ann").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")
        expect(page).to_have_url(re.compile("q=state"))
        you = page.get_by_role("region", name="You")
        expect(you).to_contain_text("ann@example.com")
        expect(you).to_contain_text("operator")
        page.get_by_role("button", name="Log out").click()
        provider.control(lie="wrong nonce")
        page.get_by_role("link", name="Log in with single sign-on").click()
        page.get_by_role("link", name="Log in as Ann").click()
        expect(page.get_by_role("alert")).to_contain_text("refused")
        expect(page.get_by_role("heading", level=1)).to_have_text(LOGIN)


def test_a_reader_is_offered_nothing_that_changes_anything_and_sees_no_payload(shut, page):
    api = shut.api
    dead = api.kill("mail.send", "no such user ann@example.com", {"to": "ann@example.com"})
    api.enqueue("mail.send", {"to": "bob@example.com"})
    held = api.enqueue("mail.send", {"to": "eve@example.com"})
    api("POST", f"/jobs/{held}/hold", {})
    api("POST", "/schedules", {"name": "nightly", "queue": "q", "cron": "@daily", "payload": {"x": "y"}})
    log_in(page, shut, new_key(shut, role="readonly"), "settings")
    expect(page.get_by_role("region", name="You")).to_contain_text("readonly")
    changing = re.compile(
        r"^(enqueue|pause|resume|limits|retry|cancel|delete|move|hold|approve|reject|clone|requeue|new|"
        r"run now|destroy|clear|drain|edit|more about|select)\b",
        re.IGNORECASE,
    )
    for path in (
        "",
        "queues",
        "queues/mail.send",
        "jobs",
        f"jobs/{dead}",
        f"jobs/{held}",
        "failures",
        "dead",
        "held",
        "scheduled",
        "webhooks",
        "operations",
    ):
        visit(page, shut, path)
        for kind in ("button", "checkbox", "menuitem"):
            offered = page.locator("#content").get_by_role(kind, name=changing, disabled=False)
            assert offered.all_inner_texts() == [], (path, kind)
        expect(page.get_by_text("@example.com")).to_have_count(0)
    pages = page.get_by_role("navigation", name="Pages")
    for name in ("Keys", "Roles", "Audit", "Single sign-on"):
        expect(pages.get_by_role("link", name=name, exact=True)).to_have_count(0)
    visit(page, shut, f"jobs/{dead}")
    expect(page.get_by_text("[redacted]").first).to_be_visible()
    page.get_by_role("button", name="More actions").click()
    expect(page.get_by_role("menuitem")).to_have_text([re.compile("curl")])
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+D")
    page.keyboard.press("n")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_whose_session_was_ended_is_sent_to_the_login(shut, page):
    key = new_key(shut, role="operator")
    log_in(page, shut, key, "queues")
    (session,) = shut.api("GET", "/auth/sessions")
    shut.api("DELETE", f"/auth/sessions/{session['id']}")
    expect(page.get_by_role("heading", level=1)).to_have_text(LOGIN)
    page.get_by_label("API key").fill(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Queues")
    made = next(each for each in shut.api("GET", "/auth/keys") if each["name"] == "k")
    shut.api("DELETE", f"/auth/keys/{made['id']}")
    expect(page.get_by_role("heading", level=1)).to_have_text(LOGIN)


def test_a_key_is_made_shown_once_rotated_disabled_and_deleted(shut, page):
    log_in(page, shut, shut.api.key, "keys")
    page.get_by_role("button", name="New key").click()
    page.get_by_label("Name", exact=True).fill("deploy")
    page.get_by_label("Role").select_option("producer")
    page.get_by_role("button", name="Make key").click()
    first = page.get_by_label("API key", exact=True).inner_text()
    assert serious(page) == []
    page.get_by_role("button", name="I have it").click()
    row = page.get_by_role("row").filter(has_text="deploy")
    expect(row).to_contain_text("producer")
    expect(page.get_by_text(first)).to_have_count(0)
    assert who(shut, first) == "key:deploy"
    more = row.get_by_role("button", name="More about deploy")
    more.click()
    page.get_by_role("menuitem", name="Rotate").click()
    page.get_by_label("The former secret counts").select_option("0s")
    page.get_by_role("button", name="Make a new secret").click()
    second = page.get_by_label("API key", exact=True).inner_text()
    page.get_by_role("button", name="I have it").click()
    assert (who(shut, first), who(shut, second)) == (None, "key:deploy")
    more.click()
    page.get_by_role("menuitem", name="Disable").click()
    expect(row).to_contain_text("disabled")
    assert who(shut, second) is None
    more.click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("button", name="Delete key").click()
    expect(row).to_have_count(0)


def who(node, key):
    """As whom the node lets this key in."""
    own = type(node.api)(node.address)
    own.key = key
    try:
        return own("GET", "/auth/whoami")["principal"]
    except AssertionError:
        return None
    finally:
        own.close()


def test_a_role_is_made_of_permissions_and_changed(shut, page):
    log_in(page, shut, shut.api.key, "roles")
    page.get_by_role("button", name="New role").click()
    page.get_by_label("Name", exact=True).fill("pauser")
    page.get_by_label("queues:pause").check()
    page.get_by_label("queues:read").check()
    assert serious(page) == []
    page.get_by_role("button", name="Save role").click()
    card = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="pauser"))
    expect(card).to_contain_text("queues:pause")
    card.get_by_role("button", name="Edit").click()
    page.get_by_label("queues:resume").check()
    page.get_by_role("button", name="Save role").click()
    expect(card).to_contain_text("queues:resume")
    made = next(role for role in shut.api("GET", "/auth/roles") if role["name"] == "pauser")
    assert made["holds"] == ["queues:pause", "queues:read", "queues:resume"]
    card.get_by_role("button", name="Delete pauser").click()
    page.get_by_role("button", name="Delete role").click()
    expect(card).to_have_count(0)


def test_single_sign_on_is_set_up_in_the_browser(shut, page):
    log_in(page, shut, shut.api.key, "sso")
    page.get_by_label("Provider").select_option("oidc")
    page.get_by_label("Client id").fill("corvo")
    page.get_by_label("Issuer").fill("http://idp.example.com")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("has to begin with https://").first).to_be_visible()
    page.allow("status of 400")
    page.get_by_label("Issuer").fill("https://idp.example.com")
    page.get_by_role("button", name="Add a group").click()
    page.get_by_label("Group", exact=True).fill("ops")
    page.get_by_label("Role", exact=True).fill("operator")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("every node goes by it now")).to_be_visible()
    told = shut.api("GET", "/settings/sso")
    assert (told["oidc_issuer_url"], told["group_role_mappings"]) == (
        "https://idp.example.com",
        {"ops": "operator"},
    )
    visit(page, shut, "sessions")
    expect(page.get_by_text("this browser")).to_be_visible()
    page.get_by_role("button", name="End the session of key:root").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(LOGIN)


def test_a_namespace_is_made_limited_looked_at_deleted_and_on_record(shut, page):
    log_in(page, shut, shut.api.key, "namespaces")
    page.get_by_role("button", name="New namespace").click()
    page.get_by_label("Name", exact=True).fill("acme")
    page.get_by_role("button", name="Make namespace").click()
    card = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="acme"))
    card.get_by_role("button", name="Quotas").click()
    page.get_by_label("Queues", exact=True).fill("3")
    assert serious(page) == []
    page.get_by_role("button", name="Save quotas").click()
    expect(card).to_contain_text("0 of 3 at most")
    with page.expect_navigation():
        page.get_by_role("combobox", name="Namespace").select_option("acme")
    page.get_by_role("button", name="Enqueue a job").click()
    page.get_by_role("dialog").get_by_label("Queue", exact=True).fill("theirs")
    page.get_by_role("dialog").get_by_role("button", name="Enqueue").last.click()
    expect(card).to_contain_text("1 of 3 at most")
    assert [queue["name"] for queue in shut.api("GET", "/queues")] == []
    card.get_by_role("button", name="Delete acme").click()
    page.get_by_label("Type acme to go on").fill("acme")
    page.get_by_role("button", name="Delete namespace").click()
    expect(card).to_have_count(0)
    # What concerns the whole cluster is not on the record of one namespace.
    with page.expect_navigation():
        page.get_by_role("combobox", name="Namespace").select_option("default")
    visit(page, shut, "audit")
    row = page.get_by_role("row").filter(has_text="DELETE /api/v1/namespaces/acme")
    expect(row).to_contain_text("key:root")
    assert serious(page) == []
