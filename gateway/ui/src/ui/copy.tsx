import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { cx } from "./class";

/** Puts text on the clipboard; also where the clipboard API is missing, as on plain HTTP. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "fixed opacity-0";
    // Inside the open dialog, whose focus trap would otherwise take the selection away.
    (document.querySelector("[role=dialog]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** Copies a text and says for a moment whether that worked. */
export function useCopy(text: string) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  const copy = async () => {
    setState((await toClipboard(text)) ? "copied" : "refused");
    setTimeout(() => setState("idle"), 2000);
  };
  return { state, copy };
}

/** An id or address in monospace that is copied by a press. */
export function CopyText({
  text,
  what,
  shown,
  className,
}: {
  text: string;
  what: string;
  shown?: string;
  className?: string;
}) {
  const { state, copy } = useCopy(text);
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={`Copy ${what}`}
      className={cx(
        "inline-flex max-w-full items-center gap-1 rounded-control font-mono text-small hover:text-fg",
        className,
      )}
    >
      <span className="truncate">{shown ?? text}</span>
      {state === "copied" ? (
        <Check size={12} aria-hidden className="shrink-0 text-done" />
      ) : (
        <Copy size={12} aria-hidden className="shrink-0 opacity-60" />
      )}
      <span role="status" className="sr-only">
        {state === "copied" ? "Copied" : `Copy ${what}`}
      </span>
    </button>
  );
}
