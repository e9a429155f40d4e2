import { Box } from "../choice/box";
import { chip } from "../choice/look";
import type { Option } from "../choice/options";

export type { Option };

interface Props {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}

/** One of several values that narrow a list. */
export function Select({ label, value, ...choice }: Props) {
  return (
    <Box
      {...choice}
      label={label}
      aria-label={label}
      value={value}
      className={chip(value !== "")}
      before={
        <span aria-hidden className="text-fg-3">
          {label}
        </span>
      }
    />
  );
}
