import { Check, Copy } from "lucide-react";
import { Button } from "./button";
import { cx } from "./class";
import { useCopy } from "./copy";

export function CopyButton({
  text,
  label = "Copy",
  className,
}: {
  text: string;
  label?: string;
  className?: string;
}) {
  const { state, copy } = useCopy(text);
  const word = state === "copied" ? "Copied" : state === "refused" ? "Select and copy" : label;
  return (
    <>
      <Button
        className={cx("min-w-22", className)}
        onClick={() => void copy()}
        icon={state === "copied" ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      >
        {word}
      </Button>
      <span role="status" className="sr-only">
        {state === "copied" ? "Copied" : ""}
      </span>
    </>
  );
}
