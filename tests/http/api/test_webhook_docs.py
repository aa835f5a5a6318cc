"""The snippets of docs/webhooks.md do what the page says, against what the server really sends."""

import re
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from corvo.actors.webhooks.messages import DeliveryItem
from corvo.core.clock import ManualClock, SystemClock
from corvo.core.webhook import Webhook
from corvo.http.api.schema.webhooks import pack

PAGE = Path(__file__).parents[3] / "docs" / "webhooks.md"
SECRET = "a long random text"


def snippet(language):
    found = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(found) == 1
    return found[0]


@pytest.fixture
def verified():
    namespace = {}
    exec(snippet("python"), namespace)
    return namespace["verified"]


def delivery(clock):
    webhook = Webhook("wh_1", "https://x.test/", ("*",), SECRET, True, 3, 1, 1, 0)
    parcel = pack(webhook, DeliveryItem(0, "ping"), 1, clock.now_ns())
    return parcel.body, dict(parcel.headers)["X-Corvo-Signature"]


def test_the_python_snippet_takes_what_is_genuine(verified):
    body, signature = delivery(SystemClock())
    assert verified(body, signature, SECRET)["event"]["type"] == "ping"


def test_the_python_snippet_refuses_what_is_not(verified):
    body, signature = delivery(SystemClock())
    for bad in (
        (body.replace(b"ping", b"pong"), signature, SECRET),
        (body, signature, "another"),
        (body, "", SECRET),
        (body, signature.replace("sha256=", ""), SECRET),
    ):
        with pytest.raises(ValueError, match="does not fit"):
            verified(*bad)


def test_the_python_snippet_refuses_what_is_old(verified):
    body, signature = delivery(ManualClock(start_ns=1))
    with pytest.raises(ValueError, match="too old"):
        verified(body, signature, SECRET, timedelta(minutes=5))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on this machine")
def test_the_node_snippet_takes_what_is_genuine_and_refuses_what_is_not(tmp_path):
    body, signature = delivery(SystemClock())
    (tmp_path / "body").write_bytes(body)
    script = snippet("js") + (
        'const body = require("node:fs").readFileSync(process.argv[2]);'
        "const [, , , signature, secret] = process.argv;"
        "console.log(verified(body, signature, secret).event.type);"
        'for (const bad of ["", signature.replace("=", "=0")]) {'
        "  let refused = false;"
        "  try { verified(body, bad, secret); } catch { refused = true; }"
        '  if (!refused) { console.log("taken: " + bad); }'
        "}"
    )
    (tmp_path / "check.js").write_text(script)
    command = ["node", str(tmp_path / "check.js"), str(tmp_path / "body"), signature, SECRET]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "ping\n"
