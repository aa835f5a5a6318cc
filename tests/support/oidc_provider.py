"""An OpenID provider, as a process of its own: discovery, keys, the authorization code flow with PKCE.

    python -m tests.support.oidc_provider PORT

It signs with real keys and can be told, by POST /control, to lie in one way or another: {"claims": {...}} are
put into every token, {"lie": "..."} is one of `LIES`, {"rotate": true} makes a new key and forgets the old.
"""

import base64
import hashlib
import json
import os
import secrets
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from corvo.core.clock import NS_PER_S, SystemClock

CLIENT_ID = "corvo"
#: Ways in which a provider's answer may be wrong.
LIES = (
    "wrong signature",
    "signed by the public key",
    "unsigned",
    "wrong issuer",
    "wrong audience",
    "expired",
    "wrong nonce",
    "no nonce",
    "wrong iss beside the code",
    "another client's party",
    "no id token",
)


class State:
    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.claims: dict[str, Any] = {}
        self.lie = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.algorithm = "RS256"
        self.keys_asked = 0
        self.rotate()

    def rotate(self) -> None:
        self.kid = secrets.token_hex(8)
        self.key: Any = {
            "RS256": lambda: rsa.generate_private_key(65537, 2048),
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate,
        }[self.algorithm]()

    def jwks(self) -> dict[str, Any]:
        kind = jwt.get_algorithm_by_name(self.algorithm)
        public = json.loads(kind.to_jwk(self.key.public_key()))  # type: ignore[attr-defined]  # those of this package have it
        # A second one that is not for signatures, as real providers have.
        other = json.loads(jwt.get_algorithm_by_name("RS256").to_jwk(_OTHER.public_key()))  # type: ignore[attr-defined]  # those of this package have it
        return {
            "keys": [
                public | {"kid": self.kid, "use": "sig", "alg": self.algorithm},
                other | {"kid": "enc", "use": "enc"},
            ]
        }

    def token(self, nonce: str | None, **changed: Any) -> str:
        now = SystemClock().now_ns() // NS_PER_S
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "sub": "u-1", "iat": now, "exp": now + 300}
        claims |= {"nonce": nonce} if nonce else {}
        claims |= self.claims | changed
        claims = {name: value for name, value in claims.items() if value is not None}
        key, algorithm = self.key, self.algorithm
        match self.lie:
            case "wrong signature":
                key, algorithm = _OTHER, "RS256"
            case "wrong issuer":
                claims["iss"] = "https://evil.example"
            case "wrong audience":
                claims["aud"] = "another"
            case "another client's party":
                claims |= {"aud": [CLIENT_ID, "another"], "azp": "another"}
            case "expired":
                claims |= {"iat": now - 900, "exp": now - 600}
            case "wrong nonce":
                claims["nonce"] = "another"
            case "no nonce":
                claims.pop("nonce", None)
            case "unsigned":
                return jwt.encode(claims, "", algorithm="none", headers={"kid": self.kid})
            case "signed by the public key":
                return self._signed_by_public(claims)
        return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": self.kid})

    def _signed_by_public(self, claims: dict[str, Any]) -> str:
        """The oldest trick: a public key taken for a shared secret."""
        import hmac

        public = self.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        parts = [
            json.dumps({"alg": "HS256", "typ": "JWT", "kid": self.kid}).encode(),
            json.dumps(claims).encode(),
        ]
        signed = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
        mac = hmac.new(public, signed, hashlib.sha256).digest()
        return (signed + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()


_OTHER = rsa.generate_private_key(65537, 2048)


class Handler(BaseHTTPRequestHandler):
    state: State

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class gives it
        pass

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        issuer = self.state.issuer
        match url.path:
            case "/.well-known/openid-configuration":
                self._json(
                    {
                        "issuer": issuer,
                        "authorization_endpoint": f"{issuer}/authorize",
                        "token_endpoint": f"{issuer}/token",
                        "jwks_uri": f"{issuer}/keys",
                        "response_types_supported": ["code"],
                        "code_challenge_methods_supported": ["S256"],
                    }
                )
            case "/keys":
                self.state.keys_asked += 1
                self._json(self.state.jwks())
            case "/authorize":
                self._page(query)
            case "/favicon.ico":
                self._send(200, b"", "image/x-icon")
            case "/allow":
                self._allow(query)
            case _:
                self._json({"error": "not_found"}, 404)

    def _page(self, query: dict[str, str]) -> None:
        if query.get("client_id") != CLIENT_ID or query.get("response_type") != "code":
            self._json({"error": "unauthorized_client"}, 400)
            return
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        page = f'<h1>The provider</h1><a href="/allow?{urlencode(query)}">Log in as Ann</a>'
        self._send(200, page.encode(), "text/html")

    def _allow(self, query: dict[str, str]) -> None:
        code = secrets.token_urlsafe(16)
        self.state.codes[code] = query
        back = {"code": code, "state": query["state"], "iss": self.state.issuer}
        if self.state.lie == "wrong iss beside the code":
            back["iss"] = "https://evil.example"
        self.send_response(302)
        self.send_header("Location", f"{query['redirect_uri']}?{urlencode(back)}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/control":
            self._control(json.loads(body))
            return
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        asked = self.state.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        secret = os.environ.get("CLIENT_SECRET", "")
        basic = "Basic " + base64.b64encode(f"{CLIENT_ID}:{secret}".encode()).decode()
        is_same = asked is not None and form.get("redirect_uri") == asked["redirect_uri"]
        if asked is None or not is_same or challenge.rstrip(b"=").decode() != asked["code_challenge"]:
            self._json({"error": "invalid_grant"}, 400)
        elif secret and self.headers.get("Authorization") != basic:
            self._json({"error": "invalid_client"}, 401)
        else:
            answer = {
                "access_token": "x",
                "token_type": "Bearer",
                "id_token": self.state.token(asked["nonce"]),
            }
            if self.state.lie == "no id token":
                del answer["id_token"]
            self._json(answer)

    def _control(self, told: dict[str, Any]) -> None:
        self.state.claims = told.get("claims", self.state.claims)
        self.state.lie = told.get("lie", self.state.lie)
        self.state.algorithm = told.get("algorithm", self.state.algorithm)
        if told.get("rotate") or "algorithm" in told:
            self.state.rotate()
        token = self.state.token(None, **told.get("token", {}))
        self._json({"token": token, "keys_asked": self.state.keys_asked})

    def _json(self, body: Any, status: int = 200) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
    Handler.state = State(f"http://127.0.0.1:{server.server_port}")
    print(Handler.state.issuer, flush=True)
    server.serve_forever()


class ProviderProcess:
    def __init__(self, issuer: str) -> None:
        self.issuer = issuer

    def control(self, **told: Any) -> Any:
        request = Request(f"{self.issuer}/control", json.dumps(told).encode(), method="POST")
        with urlopen(request) as answer:
            return json.load(answer)

    def token(self, **claims: Any) -> str:
        token: str = self.control(token=claims)["token"]
        return token


@contextmanager
def providing(client_secret: str = ""):
    """A provider for the time of a test."""
    command = [sys.executable, "-m", "tests.support.oidc_provider"]
    with Popen(command, stdout=PIPE, env=os.environ | {"CLIENT_SECRET": client_secret}, text=True) as process:
        try:
            assert process.stdout is not None
            yield ProviderProcess(process.stdout.readline().strip())
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
