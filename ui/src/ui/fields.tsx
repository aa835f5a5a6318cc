// The fields of forms: a label, and what one can say.
import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { Field } from "./Field";

interface Labelled {
  label: ReactNode;
  hint?: ReactNode;
  value: string;
  onChange(value: string): void;
  /** Of the whole field; what is typed into is looked after here. */
  className?: string;
}

type Input = Omit<ComponentProps<"input">, "id" | "value" | "onChange" | "className">;

/** Look: of the input itself, such as `font-mono`. */
export function TextField({
  label,
  hint,
  className,
  look,
  onChange,
  ...input
}: Labelled & Input & { look?: string }) {
  return (
    <Field label={label} hint={hint} {...(className ? { className } : {})}>
      {(id) => (
        <input
          autoComplete="off"
          {...input}
          id={id}
          className={clsx("field", look)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** What may be chosen, and in which words if they differ. */
export type Choice = string | readonly [value: string, words: string];

export function SelectField({
  label,
  hint,
  className,
  value,
  onChange,
  choices,
}: Labelled & { choices: readonly Choice[] }) {
  return (
    <Field label={label} hint={hint} {...(className ? { className } : {})}>
      {(id) => (
        <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map((choice) => {
            const [chosen, words] = typeof choice === "string" ? [choice, choice] : choice;
            return (
              <option key={chosen} value={chosen}>
                {words}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

export const PRIORITY_CHOICES = ["critical", "high", "normal", "low"] as const;
