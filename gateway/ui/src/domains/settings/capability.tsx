import type { ReactNode } from "react";
import { CopyText } from "~/ui/copy";
import { Status } from "~/ui/status";

interface Props {
  name: ReactNode;
  /** Whether it can be used; undefined where this page is not told. */
  on: boolean | undefined;
  /** Keys of the configuration that it still needs. */
  missing?: string[];
  /** What those keys are for, where they are not missing. */
  keys?: string;
  children: ReactNode;
}

/** One thing that this gateway can or cannot do, and what has to be set for it. */
export function Capability({ name, on, missing = [], keys, children }: Props) {
  return (
    <li data-row className="border-b border-line px-4 py-3 last:border-0">
      <h3 className="flex flex-wrap items-center gap-x-3 gap-y-0.5 font-[550]">
        <span className="min-w-0 break-words">{name}</span>
        <span className="font-normal">
          {on === undefined ? (
            <Status tone="idle" word="Unknown" />
          ) : (
            <Status tone={on ? "done" : "idle"} word={on ? "Available" : "Not set up"} />
          )}
        </span>
      </h3>
      <div className="text-fg-2">{children}</div>
      {missing.length > 0 && <Missing keys={missing} {...(keys && { label: keys })} />}
    </li>
  );
}

/** The exact keys, to be copied into the configuration. */
export function Missing({
  keys,
  label = "To be set in the gateway's configuration:",
}: {
  keys: string[];
  label?: string;
}) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-fg-2">
      {label}
      {keys.map((key) => (
        <CopyText key={key} text={key} what="the name of this setting" className="min-h-8 text-fg" />
      ))}
    </p>
  );
}
