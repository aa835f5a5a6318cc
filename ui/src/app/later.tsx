// Parts of the page that come when they are first needed. The node may be gone by then, or another version: that
// must cost the reader that part, never the page, and the part comes as soon as it can.
import { type ComponentType, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { useStatus } from "@/live/LiveProvider";
import { Failure, Skeleton } from "@/ui/Empty";
import { toast } from "@/ui/Toast";
import { ask } from "./asking";

type Load<P> = () => Promise<{ default: ComponentType<P> }>;
type Missing = ComponentType<{ retry(): void }>;

function later<P extends object>(load: Load<P>, waiting: ReactNode, Missing: Missing) {
  let found: ComponentType<P> | undefined;
  const get = async () => {
    found ??= (await load()).default;
    return found;
  };
  function Later(props: P) {
    const [Part, setPart] = useState(() => found);
    const [failed, setFailed] = useState(false);
    const fetchPart = useCallback(() => {
      setFailed(false);
      get().then(
        (part) => setPart(() => part),
        () => setFailed(true),
      );
    }, []);
    useEffect(() => {
      if (!found) fetchPart();
    }, [fetchPart]);
    if (Part) return <Part {...props} />;
    return failed ? <Missing retry={fetchPart} /> : waiting;
  }
  // The router waits for it before it leaves the page that is shown.
  return Object.assign(Later, { preload: () => get().then(NOTHING, NOTHING) });
}

const NOTHING = () => undefined;
const NOT_ARRIVED = new ApiError(
  0,
  "UNREACHABLE",
  "This part of the page did not arrive",
  "It comes as soon as the node answers again.",
);

function MissingPage({ retry }: { retry(): void }) {
  const status = useStatus();
  const before = useRef(status);
  useEffect(() => {
    if (status === "open" && before.current !== "open") retry();
    before.current = status;
  }, [status, retry]);
  return <Failure error={NOT_ARRIVED} retry={retry} />;
}

function MissingDialog() {
  useEffect(() => {
    toast({ kind: "bad", text: "Could not open it: the node does not answer", detail: NOT_ARRIVED.hint });
    ask(null);
  }, []);
  return null;
}

export const laterPage = (load: Load<object>) => later(load, <Skeleton rows={8} />, MissingPage);
export const laterDialog = <P extends object>(load: Load<P>) => later(load, null, MissingDialog);
