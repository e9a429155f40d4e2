import { Suspense, useState, type ReactNode } from "react";
import type { Owner } from "~/api/sandboxes";
import { later } from "~/live/arriving";
import { cx } from "~/ui/class";
import { PartMissing } from "~/ui/part-missing";
import { Commands } from "./commands";
import { useRunsOf } from "./runs";

const ShellTerminal = later(async () => (await import("./terminal")).ShellTerminal, PartMissing);

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

interface Props {
  owner: Owner;
  /** Why nothing can be run here now; shown in the place of the command line. */
  blocked: ReactNode;
}

/** The sandbox's console: single commands as a log, or a shell with a terminal. */
export function Console({ owner, blocked }: Props) {
  const [mode, setMode] = useState<Mode>("commands");
  const runs = useRunsOf(owner);
  // Where nothing was run and nothing can be, the reason needs no screen of its own.
  const small = Boolean(blocked) && mode === "commands" && runs.length === 0;
  const modes = <Modes mode={mode} usable={!blocked} onChange={setMode} />;
  return (
    <section
      aria-label="Console"
      className={cx(
        "flex min-w-0 flex-col overflow-hidden rounded-panel border border-line bg-sunken",
        !small && "h-[clamp(340px,calc(100dvh-300px),900px)] max-sm:h-[72dvh]",
      )}
    >
      {mode === "commands" ? (
        <Commands owner={owner} blocked={blocked} head={modes} />
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
            <ShellTerminal owner={owner} />
          </Suspense>
        </>
      )}
    </section>
  );
}
