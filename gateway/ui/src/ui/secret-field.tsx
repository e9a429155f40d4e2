import type { ComponentProps } from "react";
import { Field } from "./field";

/**
 * For a secret that somebody pastes. No browser fills it: `off` is not heeded for a password, and the password of this very
 * page would then be offered. What is typed stays in the element alone; the form reads it there when it is sent.
 */
export function SecretField(props: Omit<ComponentProps<typeof Field>, "type" | "value" | "autoComplete">) {
  return (
    <Field
      type="password"
      autoComplete="new-password"
      autoCapitalize="none"
      spellCheck="false"
      data-1p-ignore
      data-bwignore
      data-lpignore="true"
      data-form-type="other"
      {...props}
    />
  );
}
