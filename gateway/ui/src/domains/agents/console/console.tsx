import { lazy, Suspense, useState } from "react";
import { cx } from "~/ui/class";
import { Commands } from "./commands";

const ShellTerminal = lazy(() =>
  import("./terminal").then((terminal) => ({ default: terminal.ShellTerminal })),
);
const MODES = [
  ["commands", "Commands"],
  ["shell", "Shell"],
] as const;
type Mode = (typeof MODES)[number][0];

function Modes({ mode, usable, onChange }: { mode: Mode; usable: boolean; onChange: (mode: Mode) => void }) {
  return (
    <div role="group" aria-label="Kind of console" className="flex flex-1 gap-1">
      {MODES.map(([value, label]) => (
        <button
          key={value}
          type="button"
          aria-pressed={mode === value}
          disabled={value === "shell" && !usable}
          onClick={() => onChange(value)}
          className={cx(
            "h-7 rounded-control px-3 transition-colors duration-80 disabled:opacity-50 pointer-coarse:h-11",
            mode === value ? "bg-line font-[550] text-fg" : "text-fg-2 hover:bg-line/50 hover:text-fg",
          )}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** The sandbox's console: single commands as a log, or a shell with a terminal. */
export function Console({ agent, usable }: { agent: string; usable: boolean }) {
  const [mode, setMode] = useState<Mode>("commands");
  const modes = <Modes mode={mode} usable={usable} onChange={setMode} />;
  return (
    <section
      aria-label="Console"
      className="flex h-[clamp(340px,calc(100dvh-300px),900px)] max-sm:h-[72dvh] min-w-0 flex-col overflow-hidden rounded-panel border border-line bg-sunken"
    >
      {mode === "commands" ? (
        <Commands agent={agent} usable={usable} head={modes} />
      ) : (
        <>
          <div className="flex border-b border-line bg-surface px-3 py-1.5">{modes}</div>
          <Suspense
            fallback={
              <p role="status" className="p-4 text-fg-3">
                Opening the terminal…
              </p>
            }
          >
            <ShellTerminal agent={agent} />
          </Suspense>
        </>
      )}
    </section>
  );
}
