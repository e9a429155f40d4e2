import { lazy, Suspense, useState } from "react";
import { Commands } from "./commands";
import { cx } from "~/ui/class";

const ShellTerminal = lazy(() => import("./terminal").then((terminal) => ({ default: terminal.ShellTerminal })));
const MODES = [
  ["commands", "Commands"],
  ["shell", "Shell"],
] as const;

/** The sandbox's console: single commands as a log, or a shell with a terminal. */
export function Console({ agent, usable }: { agent: string; usable: boolean }) {
  const [mode, setMode] = useState<"commands" | "shell">("commands");
  return (
    <section aria-label="Console" className="flex h-[clamp(360px,calc(100dvh-260px),900px)] min-w-0 flex-col overflow-hidden rounded-panel border border-line bg-sunken">
      <div role="group" aria-label="Kind of console" className="flex gap-1 border-b border-line bg-surface px-3 py-1.5">
        {MODES.map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={mode === value}
            disabled={value === "shell" && !usable}
            onClick={() => setMode(value)}
            className={cx(
              "h-7 rounded-control px-3 transition-colors duration-80 disabled:opacity-50 pointer-coarse:h-11",
              mode === value ? "bg-line font-[550] text-fg" : "text-fg-2 hover:bg-line/50 hover:text-fg",
            )}
          >
            {label}
          </button>
        ))}
      </div>
      {mode === "commands" ? (
        <Commands agent={agent} usable={usable} />
      ) : (
        <Suspense fallback={<p role="status" className="p-4 text-fg-3">Opening the terminal…</p>}>
          <ShellTerminal agent={agent} />
        </Suspense>
      )}
    </section>
  );
}
