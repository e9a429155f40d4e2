import { useId, type InputHTMLAttributes } from "react";
import { Suggest, type Suggested } from "./choice/suggest";
import { cx } from "./class";
import { type Around, described, Frame } from "./field";
import { inputClass } from "./input-class";

/** A field with a list of what may be meant, in a form. Any other text is taken as well. */
export function SuggestField({
  label,
  hint,
  error,
  aside,
  className,
  ...rest
}: Around &
  Suggested & { value: string; onChange: (value: string) => void } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    "value" | "onChange" | "list"
  >) {
  const id = useId();
  const around = { label, hint, error, aside };
  return (
    <Frame id={id} {...around}>
      <Suggest id={id} {...described(id, around)} {...rest} className={cx(inputClass, "h-8", className)} />
    </Frame>
  );
}
