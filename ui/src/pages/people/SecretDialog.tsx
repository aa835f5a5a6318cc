import type { KeyMade } from "@/api/types";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";

/** The one time that a secret is shown. */
export function SecretDialog({ name, made, onClose }: { name: string; made: KeyMade; onClose(): void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`The secret of ${name}`}
      description="Copy it now: it is not stored, and never shown again."
      footer={
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      }
    >
      <Command text={made.api_key ?? ""} label="API key" />
      <p className="mt-3 text-sm text-ink-2">
        Programs send it as <code className="font-mono text-xs">X-API-Key</code>, or have it in{" "}
        <code className="font-mono text-xs">CORVO_API_KEY</code>.
      </p>
    </Dialog>
  );
}
