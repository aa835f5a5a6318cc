// Something that cannot be taken back: said in a sentence, done by a second click.
import { useState } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/fields";
import { sayError } from "@/ui/Toast";

interface Props {
  title: string;
  description: string;
  verb: string;
  /** A name that has to be typed first. */
  typed?: string;
  onClose(): void;
  run(): Promise<void>;
}

export function Sure({ title, description, verb, typed, onClose, run }: Props) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const go = async () => {
    setBusy(true);
    try {
      await run();
      onClose();
    } catch (error) {
      sayError(error, `Could not ${verb.toLowerCase()}`);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="danger"
            busy={busy}
            disabled={typed !== undefined && text !== typed}
            onClick={() => void go()}
          >
            {verb}
          </Button>
        </>
      }
    >
      {typed === undefined ? undefined : (
        <TextField label={`Type ${typed} to go on`} value={text} onChange={setText} />
      )}
    </Dialog>
  );
}
