import type { ReactNode } from "react";
import type { Problem } from "~/api/problem";
import { Field } from "./field";

interface Props {
  problem: Problem | undefined;
  label: string;
  placeholder: string;
  required?: boolean;
  /** What is typed into it at first. */
  initial?: string | undefined;
  hint?: ReactNode;
}

/** An address that the gateway calls. Where it is refused, the setting that allows private ones stands below the reason. */
export function AddressField({ problem, initial, ...field }: Props) {
  const error = problem?.field("/base_url");
  return (
    <div>
      <Field
        {...field}
        defaultValue={initial}
        name="base_url"
        inputMode="url"
        maxLength={500}
        autoComplete="off"
        spellCheck="false"
        error={error}
      />
      {error && (
        <p className="mt-1 text-small text-fg-2">
          Is it on the gateway&apos;s own machine or in a private network? Then an operator must allow its
          host: <code className="font-mono">outbound.allow_private</code> in roost.toml.
        </p>
      )}
    </div>
  );
}
