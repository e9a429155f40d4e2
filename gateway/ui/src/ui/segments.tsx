import { cx } from "./class";

interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

/** One of a few views of the same thing, side by side. */
export function Segments<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <span
      role="group"
      aria-label={label}
      className="inline-flex rounded-control border border-line-strong/60"
    >
      {options.map(([one, word]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          onClick={() => onChange(one)}
          className={cx(
            "h-6 px-2 text-small first:rounded-l-control last:rounded-r-control pointer-coarse:h-11",
            one === value ? "bg-line/70 font-[550] text-fg" : "text-fg-2 hover:text-fg",
          )}
        >
          {word}
        </button>
      ))}
    </span>
  );
}
