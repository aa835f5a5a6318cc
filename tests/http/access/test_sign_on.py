"""Login by an OpenID provider, which runs as a process of its own and can be told to lie."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.access import Browser, first_key, new_client
from tests.support.client import Client
from tests.support.node import running
from tests.support.oidc_provider import CLIENT_ID, LIES, providing

BACK = "/api/v1/auth/oidc/callback"


@pytest.fixture(scope="module")
def shared_provider():
    with providing() as provider:
        yield provider


@pytest.fixture
def provider(shared_provider):
    shared_provider.control(claims={"email": "ann@example.com"}, lie="", algorithm="RS256")
    return shared_provider


async def set_up(admin, provider, **fields):
    settings = {"provider": "oidc", "oidc_issuer_url": provider.issuer, "oidc_client_id": CLIENT_ID}
    reply = await admin.post("/api/v1/settings/sso", settings | fields)
    assert reply.status == 200, reply


@pytest.fixture
async def signed(admin, provider):
    """The admin of a node that knows the provider."""
    await set_up(admin, provider)
    return admin


class Person:
    """A browser that follows redirects by hand, and keeps cookies."""

    def __init__(self, client):
        self.client = client
        self.cookies = {}

    async def get(self, path):
        header = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = await self.client.connect()
        try:
            # The address that the provider is to send the browser back to is made from it.
            reply = await connection.request("GET", path, None, Cookie=header)
        finally:
            await connection.close()
        for line in reply.all_headers("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply

    async def start(self, path="/api/v1/auth/oidc/start"):
        """The address at the provider."""
        reply = await self.get(path)
        assert reply.status == 302, reply
        return reply.headers["location"]

    async def allow(self, there):
        """The path that the provider sends the browser back to."""
        url = urlsplit(there)
        reply = await Client(url.netloc).get(f"/allow?{url.query}")
        back = urlsplit(reply.headers["location"])
        return f"{back.path}?{back.query}"

    async def log_in(self):
        reply = await self.get(await self.allow(await self.start()))
        assert reply.status == 302, reply
        return reply.headers["location"]

    async def whoami(self):
        cookie = f"corvo_session={self.cookies.get('corvo_session', '')}"
        return await self.client.get("/api/v1/auth/whoami", Cookie=cookie)


async def test_people_log_in_by_the_provider(client, signed):
    ann = Person(client)
    assert await ann.log_in() == "../../../../ui/"
    who = (await ann.whoami()).json()
    assert (who["principal"], who["role"], who["namespace"]) == (
        "oidc:ann@example.com",
        "readonly",
        "default",
    )
    assert ann.cookies["corvo_login"] == ""


async def test_the_login_asks_for_a_code_with_all_that_protects_it(client, signed, provider):
    ann = Person(client)
    url = urlsplit(await ann.start())
    asked = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert f"{url.scheme}://{url.netloc}{url.path}" == f"{provider.issuer}/authorize"
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert asked["redirect_uri"].endswith(BACK)
    state, nonce, verifier, _ = ann.cookies["corvo_login"].split(".")
    assert (asked["state"], asked["nonce"]) == (state, nonce)
    assert verifier not in url.query
    assert min(map(len, (state, nonce, verifier))) >= 43


async def test_the_page_that_somebody_wanted_is_shown_after_the_login(client, signed):
    ann = Person(client)
    there = await ann.start("/api/v1/auth/oidc/start?next=jobs%3Fq%3Dstate%3Adead")
    reply = await ann.get(await ann.allow(there))
    assert reply.headers["location"] == "../../../../ui/jobs?q=state:dead"


@pytest.mark.parametrize("elsewhere", ["//evil.example", "https:evil.example", "/\\evil", "../../x", "a\\b"])
async def test_a_login_leads_to_no_other_site(client, signed, elsewhere):
    ann = Person(client)
    there = await ann.start(f"/api/v1/auth/oidc/start?next={elsewhere}")
    reply = await ann.get(await ann.allow(there))
    assert reply.headers["location"] == "../../../../ui/"


@pytest.mark.parametrize("lie", LIES)
async def test_a_provider_that_lies_is_not_believed(client, signed, provider, lie):
    provider.control(lie=lie)
    ann = Person(client)
    where = await ann.log_in()
    assert where.startswith("../../../../ui/login?problem="), lie
    assert "corvo_session" not in ann.cookies
    assert (await ann.whoami()).status == 401


async def test_only_the_browser_that_began_can_end_the_login(client, signed):
    ann, eve = Person(client), Person(client)
    back = await ann.allow(await ann.start())
    for other in (eve, Person(client)):
        assert (await other.get(back)).headers["location"].endswith("login?problem=refused")
        await eve.start()
    assert "corvo_session" not in eve.cookies
    assert (await ann.get(back.replace("state=", "state=x"))).headers["location"].endswith("problem=refused")


async def test_a_code_counts_once(client, signed):
    ann = Person(client)
    back = await ann.allow(await ann.start())
    kept = dict(ann.cookies)
    assert (await ann.get(back)).headers["location"] == "../../../../ui/"
    ann.cookies = kept
    assert (await ann.get(back)).headers["location"].endswith("login?problem=provider")


async def test_a_provider_that_is_not_there_is_told_of(client, admin):
    settings = {"provider": "oidc", "oidc_issuer_url": "http://127.0.0.1:1", "oidc_client_id": "c"}
    assert (await admin.post("/api/v1/settings/sso", settings)).status == 200
    assert await Person(client).start() == "../../../../ui/login?problem=provider"


async def test_a_client_with_a_secret_shows_it(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    with providing("s3cret") as provider:
        provider.control(claims={"email": "ann@example.com"})
        async with running(tmp_path / "data", oidc_client_secret_file=str(secret)) as node:
            await set_up(await first_key(node.client), provider)
            ann = Person(node.client)
            assert await ann.log_in() == "../../../../ui/"
            secret.write_text("another")
            assert "problem" in await ann.log_in()


# Tokens with a request


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
async def test_a_token_is_taken_as_credential(client, signed, provider, algorithm):
    provider.control(algorithm=algorithm)
    reply = await client.get("/api/v1/auth/whoami", **bearer(provider.token()))
    assert reply.status == 200, reply
    assert reply.json()["principal"] == "oidc:ann@example.com"
    assert "csrf" not in reply.json()


@pytest.mark.parametrize(
    "lie", sorted(set(LIES) - {"wrong nonce", "no nonce", "wrong iss beside the code", "no id token"})
)
async def test_a_token_that_is_wrong_is_refused(client, signed, provider, lie):
    assert (await client.get("/api/v1/queues", **bearer(provider.token()))).status == 200
    provider.control(lie=lie)
    reply = await client.get("/api/v1/queues", **bearer(provider.token()))
    assert (reply.status, reply.code) == (401, "UNAUTHORIZED"), lie


@pytest.mark.parametrize("missing", ["exp", "iat", "sub", "aud", "iss"])
async def test_a_token_that_does_not_say_enough_is_refused(client, signed, provider, missing):
    reply = await client.get("/api/v1/queues", **bearer(provider.token(**{missing: None})))
    assert reply.status == 401


async def test_a_new_key_of_the_provider_is_found_and_forged_ones_do_not_make_us_ask_each_time(
    client, signed, provider
):
    former = provider.token()
    assert (await client.get("/api/v1/queues", **bearer(former))).status == 200
    asked = provider.control()["keys_asked"]
    provider.control(rotate=True)
    statuses = [(await client.get("/api/v1/queues", **bearer(provider.token()))).status for _ in range(5)]
    # Keys were asked for a moment ago, so the new one is not known yet; and nobody is asked again at once.
    assert set(statuses) == {401}
    assert provider.control()["keys_asked"] == asked
    assert (await client.get("/api/v1/queues", **bearer(former))).status == 200


async def test_tokens_count_for_nothing_where_no_provider_is_set_up(client, admin, provider):
    assert (await client.get("/api/v1/queues", **bearer(provider.token()))).status == 401


async def test_a_token_of_one_provider_counts_for_nothing_under_another(client, signed, provider):
    token = provider.token()
    assert (await client.get("/api/v1/queues", **bearer(token))).status == 200
    ann = Person(client)
    await ann.log_in()
    assert (await ann.whoami()).status == 200
    with providing() as other:
        await set_up(signed, other)
        assert (await client.get("/api/v1/queues", **bearer(token))).status == 401
        assert (await ann.whoami()).status == 401
    await signed.post("/api/v1/settings/sso", {})
    assert (await client.get("/api/v1/queues", **bearer(token))).status == 401


# Who somebody is


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"email": "ann@example.com", "preferred_username": "ann"}, "ann@example.com"),
        ({"email": "ann@example.com", "email_verified": False, "preferred_username": "ann"}, "ann"),
        ({"preferred_username": "ann"}, "ann"),
        ({}, "u-1"),
    ],
)
async def test_people_are_called_by_address_user_name_or_subject(client, signed, provider, claims, name):
    provider.control(claims=claims)
    who = (await client.get("/api/v1/auth/whoami", **bearer(provider.token()))).json()
    assert who["principal"] == f"oidc:{name}"


@pytest.mark.parametrize(
    ("claims", "role", "namespace"),
    [
        ({}, "readonly", "default"),
        ({"groups": ["ops", "unknown"]}, "operator", "default"),
        ({"groups": "ops"}, "operator", "default"),
        ({"groups": ["admins"]}, "admin", "*"),
        ({"groups": ["acme"], "namespace": "globex"}, "operator", "acme"),
        ({"corvo_role": "operator"}, "operator", "default"),
        ({"role": "worker", "corvo_namespace": "acme"}, "worker", "acme"),
        ({"role": "admin"}, "readonly", "default"),
        ({"corvo_roles": ["admin", "mighty"]}, "readonly", "default"),
        ({"role": "nonsense"}, "readonly", "default"),
        ({"namespace": "*"}, "readonly", "default"),
        ({"namespace": "Not A Name"}, "readonly", "default"),
    ],
)
async def test_groups_and_claims_become_a_role(client, admin, provider, claims, role, namespace):
    mighty = {"name": "mighty", "permissions": [{"resource": "keys", "actions": ["*"]}]}
    await admin.post("/api/v1/auth/roles", mighty)
    mappings = {"ops": "operator", "admins": "admin@*", "acme": "operator@acme"}
    await set_up(admin, provider, group_role_mappings=mappings)
    who = (await client.get("/api/v1/auth/whoami", **bearer(provider.token(**claims)))).json()
    assert (who["role"], who["namespace"]) == (role, namespace)


async def test_a_mapping_that_changes_counts_at_once_for_those_who_are_logged_in(client, signed, provider):
    provider.control(claims={"groups": ["ops"]})
    ann = Person(client)
    await ann.log_in()
    token = provider.token()
    for role in ("operator", "readonly"):
        await set_up(signed, provider, group_role_mappings={"ops": role})
        assert (await ann.whoami()).json()["role"] == role
        assert (await client.get("/api/v1/auth/whoami", **bearer(token))).json()["role"] == role


# Settings


async def test_settings_are_shown_as_they_were_set(signed, provider):
    told = (await signed.get("/api/v1/settings/sso")).json()
    assert told.pop("updated_at") > "2026"
    assert told.pop("callback_url").endswith(BACK)
    assert told == {
        "provider": "oidc",
        "oidc_issuer_url": provider.issuer,
        "oidc_client_id": CLIENT_ID,
        "saml_enabled": False,
        "oidc_group_claim": "groups",
        "group_role_mappings": {},
        "oidc_redirect_url": "",
        "oidc_scopes": "openid profile email",
    }
    assert (await signed.post("/api/v1/settings/sso", told)).status == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"provider": "ldap"},
        {"oidc_issuer_url": ""},
        {"oidc_issuer_url": "ftp://x"},
        {"oidc_issuer_url": "http://idp.example.com"},
        {"oidc_issuer_url": "https://user:word@idp.example.com"},
        {"oidc_client_id": ""},
        {"oidc_scopes": "profile"},
        {"group_role_mappings": {"": "admin"}},
        {"group_role_mappings": {"g": ""}},
        {"group_role_mappings": {"g": "nonsense"}},
        {"group_role_mappings": {"g": "admin@Not A Name"}},
    ],
)
async def test_settings_that_cannot_work_are_refused(admin, wrong):
    right = {"provider": "oidc", "oidc_issuer_url": "https://idp.example.com", "oidc_client_id": "c"}
    assert (await admin.post("/api/v1/settings/sso", right)).status == 200
    reply = await admin.post("/api/v1/settings/sso", right | wrong)
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


async def test_an_open_server_cannot_pretend_to_ask_people_who_they_are(client):
    settings = {"provider": "oidc", "oidc_issuer_url": "https://x.example", "oidc_client_id": "c"}
    reply = await client.post("/api/v1/settings/sso", settings)
    assert (reply.status, reply.code) == (409, "ACCESS_ERROR")


async def test_only_admins_of_everything_set_it(admin):
    for fields in ({"role": "operator"}, {"role": "admin", "namespace": "acme"}):
        other = await new_client(admin, **fields)
        assert (await other.get("/api/v1/settings/sso")).status == 403
        assert (await other.post("/api/v1/settings/sso", {})).status == 403


# Proxies that speak SAML

ANN = {"X-Corvo-SAML-Subject": "ann", "X-Corvo-SAML-Roles": "operator, unknown"}


async def test_a_trusted_proxy_says_who_somebody_is(tmp_path):
    async with running(tmp_path / "data", trusted_proxies="127.0.0.0/8") as node:
        admin = await first_key(node.client)
        assert (await node.client.get("/api/v1/queues", **ANN)).status == 401
        assert (await admin.post("/api/v1/settings/sso", {"saml_enabled": True})).status == 200
        who = (await node.client.get("/api/v1/auth/whoami", **ANN)).json()
        assert (who["principal"], who["role"], who["namespace"]) == ("saml:ann", "operator", "default")
        mine = ANN | {"X-Corvo-SAML-Role": "admin", "X-Corvo-SAML-Namespace": "acme"}
        who = (await node.client.get("/api/v1/auth/whoami", **mine)).json()
        assert (who["role"], who["namespace"]) == ("admin", "acme")
        # Browsers come by the proxy's cookie, whoever asks them to.
        assert (await node.client.post("/api/v1/enqueue", {"queue": "q"}, **ANN)).code == "CSRF_REFUSED"
        who = (await node.client.get("/api/v1/auth/whoami", **ANN)).json()
        token = {"X-Corvo-CSRF": who["csrf"]}
        assert (await node.client.post("/api/v1/enqueue", {"queue": "q"}, **ANN | token)).status == 201


async def test_anybody_else_does_not(tmp_path):
    async with running(tmp_path / "data", trusted_proxies="10.0.0.0/8") as node:
        admin = await first_key(node.client)
        await admin.post("/api/v1/settings/sso", {"saml_enabled": True})
        reply = await node.client.get("/api/v1/queues", **ANN | {"X-Forwarded-For": "10.0.0.1"})
        assert reply.status == 401
        assert "--trusted-proxies" in reply.json()["error"]
        who = (await admin.get("/api/v1/auth/whoami", **ANN)).json()
        assert who["principal"] == "key:root"


async def test_a_session_by_key_is_seen_beside_one_by_provider(client, signed):
    ann = Person(client)
    await ann.log_in()
    browser = await Browser.log_in(client, signed.headers["X-API-Key"])
    listed = (await browser.get("/api/v1/auth/sessions")).json()
    assert {session["principal"] for session in listed} == {"oidc:ann@example.com", "key:root"}
