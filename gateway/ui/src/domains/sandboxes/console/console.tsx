import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Owner } from "~/api/sandboxes";
import { cx } from "~/ui/class";
import { Commands } from "./commands";
import { NEW } from "./history";
import { Shells } from "./shells";

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
  mayUse: boolean;
  /** Why nothing can be run here now; shown in the place of the command line. */
  blocked: ReactNode;
}

/** The sandbox's console: single commands as a log, or shells with a terminal. The address names the shell. */
export function Console({ owner, mayUse, blocked }: Props) {
  const { shell } = useSearch({ strict: false });
  const navigate = useNavigate();
  const usable = mayUse && !blocked;
  const mode: Mode = shell && usable ? "shell" : "commands";
  const choose = (next: string | undefined) =>
    void navigate({
      to: ".",
      search: (now) => {
        const { shell: _former, ...rest } = now;
        return next ? { ...rest, shell: next } : rest;
      },
      replace: true,
    });
  const modes = (
    <Modes mode={mode} usable={usable} onChange={(next) => choose(next === "shell" ? NEW : undefined)} />
  );
  return (
    <section
      aria-label="Console"
      className={cx(
        "flex min-w-0 flex-col overflow-hidden rounded-panel border border-line bg-sunken",
        "h-[clamp(340px,calc(100dvh-300px),900px)] max-sm:h-[72dvh]",
      )}
    >
      {mode === "commands" ? (
        <Commands owner={owner} mayUse={mayUse} blocked={blocked} head={modes} onShell={choose} />
      ) : (
        <Shells owner={owner} id={shell ?? NEW} head={modes} onChoose={choose} />
      )}
    </section>
  );
}
