// Something that cannot be taken back: said in a sentence, done by a second click.
import { useState } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { sayError } from "@/ui/Toast";

interface Props {
  title: string;
  description: string;
  verb: string;
  onClose(): void;
  run(): Promise<void>;
}

export function Sure({ title, description, verb, onClose, run }: Props) {
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
          <Button look="danger" busy={busy} onClick={() => void go()}>
            {verb}
          </Button>
        </>
      }
    />
  );
}
