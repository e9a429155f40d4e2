import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
} from "react";
import { type Asking, Box } from "./choice/box";
import { optionsOf } from "./choice/options";
import { cx } from "./class";
import { choiceClass, inputClass } from "./input-class";

export { choiceClass, inputClass };

export interface Around {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Something at the right end of the label's line. */
  aside?: ReactNode;
}

/** A label above, a hint or what is wrong below. */
export function Frame({
  id,
  label,
  hint,
  error,
  aside,
  help,
  children,
}: Around & { id: string; help?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <div className="mb-1 flex items-baseline justify-between gap-2">
        <div className="flex items-center gap-1">
          <label htmlFor={id} className="text-small font-[550] text-fg-2">
            {label}
          </label>
          {help}
        </div>
        {aside}
      </div>
      {children}
      {error ? (
        <p id={`${id}-note`} className="mt-1 text-small text-failed">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-note`} className="mt-1 text-small text-fg-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

export function described(id: string, { hint, error }: Around) {
  return {
    "aria-invalid": error ? true : undefined,
    "aria-describedby": hint || error ? `${id}-note` : undefined,
  };
}

export function Field({
  label,
  hint,
  error,
  aside,
  className,
  ...input
}: Around & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  const id = useId();
  const around = { label, hint, error, aside };
  return (
    <Frame id={id} {...around}>
      <input id={id} {...described(id, around)} {...input} className={cx(inputClass, "h-8", className)} />
    </Frame>
  );
}

export function Area({
  label,
  hint,
  error,
  aside,
  className,
  ...input
}: Around & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  const around = { label, hint, error, aside };
  return (
    <Frame id={id} {...around}>
      <textarea
        id={id}
        rows={4}
        {...described(id, around)}
        {...input}
        className={cx(inputClass, "resize-y", className)}
      />
    </Frame>
  );
}

interface ChoiceProps extends Around, Asking {
  value: string | number;
  onChange: (event: { target: { value: string } }) => void;
  /** Its `<option>` elements, or `<optgroup>` elements with them. */
  children: ReactNode;
  className?: string;
  disabled?: boolean | undefined;
  name?: string;
  /** Beside the label: what a word of it means. */
  help?: ReactNode;
  /** Announced. The form checks it. */
  required?: boolean;
}

/** One of several values, in a form. */
export function Choice({
  label,
  hint,
  error,
  aside,
  help,
  className,
  children,
  value,
  onChange,
  required,
  ...rest
}: ChoiceProps) {
  const id = useId();
  const around = { label, hint, error, aside };
  return (
    <Frame id={id} help={help} {...around}>
      <Box
        id={id}
        {...described(id, around)}
        {...rest}
        aria-required={required}
        fills
        label={label}
        value={String(value)}
        options={optionsOf(children)}
        onChange={(next) => onChange({ target: { value: next } })}
        className={cx(choiceClass, className)}
      />
    </Frame>
  );
}

export function Tick({
  label,
  hint,
  ...input
}: { label: string; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <input
        id={id}
        type="checkbox"
        {...input}
        aria-describedby={hint ? `${id}-note` : undefined}
        className="mt-1 size-4 shrink-0 accent-accent pointer-coarse:mt-0 pointer-coarse:size-6"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-note`} className="text-small text-fg-3">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
