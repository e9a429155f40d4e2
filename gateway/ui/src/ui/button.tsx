import { LoaderCircle } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { cx } from "./class";

export type Look = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "bg-accent text-on-accent border-transparent hover:brightness-110 font-[550]",
  plain: "bg-surface text-fg border-line-strong/60 hover:border-line-strong hover:bg-raised",
  quiet: "bg-transparent text-fg-2 border-transparent hover:bg-line/60 hover:text-fg",
  danger: "bg-failed text-on-failed border-transparent hover:brightness-110 font-[550]",
};

/** The shape of a button, for links that look like one. */
export function buttonClass(look: Look = "plain", extra?: string): string {
  return cx(
    "inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-control border px-2.5 text-body whitespace-nowrap",
    "transition-[background-color,border-color,filter] duration-80 disabled:opacity-50 pointer-coarse:h-11 pointer-coarse:px-4",
    LOOKS[look],
    extra,
  );
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  /** Shows progress and refuses a second press. */
  busy?: boolean;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look, busy, icon, className, children, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={buttonClass(look, className)}
    >
      {busy ? <LoaderCircle size={14} aria-hidden className="animate-spin" /> : icon}
      {children}
    </button>
  );
}

/**
 * A button that is only an icon; the label is read out and shown as its tooltip. `counted` is text over the icon: it is
 * read after the label, because an `aria-label` would hide what everybody else sees.
 */
export function IconButton({
  label,
  counted,
  children,
  className,
  ...rest
}: Props & { label: string; counted?: ReactNode }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={counted ? undefined : label}
      title={label}
      className={cx(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-control text-fg-2 transition-colors duration-80",
        "hover:bg-line/60 hover:text-fg disabled:opacity-50 pointer-coarse:size-11",
        className,
      )}
    >
      {counted && <span className="sr-only">{label} </span>}
      {children}
      {counted}
    </button>
  );
}
