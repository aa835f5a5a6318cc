import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, LogIn } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { ApiError, apiUrl, call, uiBase } from "@/api/client";
import { Logo } from "@/app/Logo";
import { whoQuery } from "@/app/whoQuery";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/fields";

interface Status {
  auth_required: boolean;
  oidc: boolean;
}

const PROBLEMS: Record<string, string> = {
  refused: "The login was refused, or took too long. Try again; the log of the node says why.",
  provider:
    "The provider of single sign-on cannot be reached, or is not set up. The log of the node says why.",
};

/** The page that was wanted, to come back to; none if that was the login itself. */
function wanted(): string {
  const page = location.pathname.slice(uiBase.length);
  return page === "login" || page === "" ? "" : page + location.search;
}

export function Login() {
  const client = useQueryClient();
  const { data: status } = useQuery({
    queryKey: ["auth-status"],
    queryFn: ({ signal }) => call<Status>("/auth/status", { signal }),
  });
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(
    () => PROBLEMS[new URLSearchParams(location.search).get("problem") ?? ""] ?? "",
  );
  useEffect(() => {
    document.title = "Log in · Corvo";
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await call("/auth/login", { method: "POST", body: { api_key: key.trim() } });
      if (location.pathname === `${uiBase}login`) history.replaceState({}, "", uiBase);
      await client.fetchQuery({ ...whoQuery, staleTime: 0 });
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : "That did not work");
      setBusy(false);
    }
  };
  const next = wanted();
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center justify-center gap-2.5">
          <Logo />
          <h1 className="text-xl font-semibold tracking-tight">Log in to Corvo</h1>
        </div>
        <div className="panel grid gap-4 p-5">
          {problem && (
            <p
              role="alert"
              className="rounded-lg border border-bad/40 bg-bad-soft px-3 py-2 text-sm text-bad"
            >
              {problem}
            </p>
          )}
          {status?.oidc && (
            <>
              <a
                href={apiUrl(`/auth/oidc/start?${new URLSearchParams(next ? { next } : {})}`)}
                className="inline-flex h-9 items-center justify-center gap-2 rounded-[7px] bg-accent text-sm font-medium text-on-accent hover:bg-accent-strong"
              >
                <LogIn className="size-4" aria-hidden="true" /> Log in with single sign-on
              </a>
              <p className="text-center text-xs text-ink-3">or</p>
            </>
          )}
          <form className="grid gap-4" onSubmit={submit}>
            <TextField
              label="API key"
              type="password"
              name="api-key"
              autoComplete="current-password"
              autoFocus
              required
              spellCheck={false}
              look="font-mono"
              value={key}
              onChange={setKey}
              hint="It is exchanged for a session and not kept in this browser."
            />
            <Button
              type="submit"
              look={status?.oidc ? "plain" : "primary"}
              className="h-9!"
              busy={busy}
              disabled={!key.trim()}
              icon={<KeyRound className="size-4" />}
            >
              Log in
            </Button>
          </form>
        </div>
      </div>
    </main>
  );
}
