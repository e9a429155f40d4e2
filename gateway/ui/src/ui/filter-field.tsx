import { Search, X } from "lucide-react";
import { cx } from "./class";
import { inputClass } from "./field";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}

/** Narrows the list below; `/` puts the focus here. */
export function FilterField({ label, value, onChange, className }: Props) {
  return (
    <div className={cx("relative w-full max-w-96 max-sm:max-w-none", className)}>
      <Search
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-fg-3"
      />
      <input
        data-filter
        type="text"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cx(inputClass, "h-[24px] px-8")}
      />
      {value !== "" && (
        <button
          type="button"
          aria-label="Clear filter"
          onClick={() => onChange("")}
          className="absolute top-1/2 right-0 inline-flex size-[24px] -translate-y-1/2 items-center justify-center rounded-control text-fg-2 hover:text-fg"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}
