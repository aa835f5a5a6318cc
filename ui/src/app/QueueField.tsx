// The name of a queue: one of those there are, or a new one.
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { queuesQuery } from "@/api/queries";
import { TextField } from "@/ui/fields";

/** As many as a browser still shows without a pause; any other name may be typed. */
const OFFERED = 1_000;

interface Props {
  label: string;
  value: string;
  onChange(queue: string): void;
  placeholder?: string;
}

export function QueueField(props: Props) {
  const list = useId();
  const { data: queues } = useQuery(queuesQuery);
  return (
    <>
      <TextField {...props} list={list} />
      <datalist id={list}>
        {queues?.slice(0, OFFERED).map((queue) => (
          <option key={queue.name} value={queue.name} />
        ))}
      </datalist>
    </>
  );
}
