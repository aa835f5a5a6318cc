"""The web UI as the node serves it, and whether what it serves was built from what is in ui/."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BUILT = ROOT / "corvo/http/static/ui"
#: As in ui/scripts/stamp.mjs.
SOURCES = (
    "index.html",
    "package-lock.json",
    "package.json",
    "public",
    "src",
    "tsconfig.json",
    "vite.config.ts",
)


def test_the_built_files_are_of_the_sources_that_are_here():
    ui = ROOT / "ui"
    found = [
        path
        for name in SOURCES
        for path in ([ui / name] if (ui / name).is_file() else (ui / name).rglob("*"))
    ]
    names = sorted(path.relative_to(ui).as_posix() for path in found if path.is_file())
    stamp = hashlib.sha256()
    for name in names:
        if not name.endswith(".test.ts") and name != "src/api/schema.d.ts":
            stamp.update(name.encode() + b"\0" + (ui / name).read_bytes() + b"\0")

    kept = (BUILT / ".source-sha256").read_text().strip()
    assert kept == stamp.hexdigest(), "ui/ was changed after the last build: run `make ui`"


def test_the_first_page_stays_small():
    page = (BUILT / "index.html").read_text()
    first = {*re.findall(r'(?:src|href)="\./(assets/[^"]+)"', page), "index.html", "boot.js"}
    style = next((BUILT / "assets").glob("index-*.css")).read_text()
    fonts = {f"assets/{name}" for name in re.findall(r"url\(\.?/?([\w.-]+\.woff2)\)", style)}
    assert fonts
    sizes = {name: len(gzip.compress((BUILT / name).read_bytes(), 9)) for name in first | fonts}
    # 250,000 was the aim; what a page needs when its node is gone cannot be loaded later.
    assert sum(sizes.values()) < 253_000, sizes


async def test_the_page_is_there_whatever_the_path_says(client):
    for path in ("/ui/", "/ui/jobs", "/ui/jobs/job_01J", "/ui/queues/a%20b"):
        reply = await client.get(path)
        assert reply.status == 200
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert reply.headers["cache-control"] == "no-cache"
        assert b'<div id="root">' in reply.body


@pytest.mark.parametrize("path", ["/", "/ui"])
async def test_the_bare_address_and_the_one_without_a_slash_lead_to_the_ui(client, path):
    reply = await client.get(path)
    # Relative, so that it holds behind any prefix.
    assert (reply.status, reply.headers["location"]) == (301, "ui/")


async def test_the_page_knows_how_far_up_its_files_are(client):
    """Behind a proxy that puts something in front of the path nobody else could tell."""
    for path, base in (("/ui/", "./"), ("/ui/jobs", "./"), ("/ui/jobs/x", "../"), ("/ui/a/b/", "../../")):
        assert f'<base href="{base}">'.encode() in (await client.get(path)).body
    page = (await client.get("/ui/")).body.decode()
    assert not re.findall(r'(?:src|href)="/', page)


async def test_nothing_but_our_own_files_may_run(client):
    reply = await client.get("/ui/")
    policy = dict(part.strip().split(" ", 1) for part in reply.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert not re.search(rb"<script(?![^>]*\bsrc=)|<style|\bon\w+=|https?://", reply.body)


async def test_files_with_a_hash_in_their_name_are_kept_for_ever(client):
    page = (await client.get("/ui/")).body.decode()
    script = re.search(r'src="\./(assets/[^"]+\.js)"', page)[1]
    reply = await client.get(f"/ui/{script}")
    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert reply.headers["content-type"] == "text/javascript; charset=utf-8"
    packed = await client.get(f"/ui/{script}", accept_encoding="gzip, br")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == reply.body


async def test_a_page_that_has_not_changed_is_not_sent_again(client):
    etag = (await client.get("/ui/")).headers["etag"]
    again = await client.get("/ui/", if_none_match=etag)
    assert (again.status, again.body) == (304, b"")


async def test_a_missing_file_is_missing_and_no_path_leads_out(client):
    for path in ("/ui/assets/none.js", "/ui/assets/../../docs.html", "/ui/assets/%2e%2e/%2e%2e/docs.html"):
        reply = await client.get(path)
        assert reply.status == 404 or b'<div id="root">' in reply.body
        assert b"openapi" not in reply.body
    assert b'<div id="root">' in (await client.get("/ui/.source-sha256")).body
