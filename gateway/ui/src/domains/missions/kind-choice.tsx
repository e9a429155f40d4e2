// The kinds of missions, each drawn as its phases, and the phases of a custom one.
import { ArrowDown, ArrowRight, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import type { PhaseKind, TemplateKind } from "~/api/missions";
import { Button, IconButton } from "~/ui/button";
import { cx } from "~/ui/class";
import { MOST_PHASES } from "./draft";
import { PHASE_KINDS, phaseName, phaseSays, TEMPLATE_KINDS, TEMPLATES } from "./words";

function Drawing({ phases }: { phases: readonly PhaseKind[] }) {
  return (
    <span className="flex flex-wrap items-center gap-1">
      {phases.map((kind, at) => (
        <span key={at} className="flex items-center gap-1">
          {at > 0 && <ArrowRight size={12} aria-hidden className="text-fg-3" />}
          <span className="rounded-control border border-line-strong/60 px-1.5 text-small text-fg-2">
            {phaseName(kind)}
          </span>
        </span>
      ))}
    </span>
  );
}

export function KindChoice({
  value,
  onChange,
}: {
  value: TemplateKind;
  onChange: (value: TemplateKind) => void;
}) {
  const id = useId();
  return (
    <fieldset>
      <legend className="mb-1 text-small font-[550] text-fg-2">Kind</legend>
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {TEMPLATE_KINDS.map((kind) => {
          const { name, says, phases } = TEMPLATES[kind];
          return (
            <label
              key={kind}
              className={cx(
                "flex cursor-pointer items-start gap-2.5 rounded-panel border p-3",
                kind === value ? "border-accent bg-accent/8" : "border-line hover:border-line-strong",
              )}
            >
              <input
                type="radio"
                name={id}
                checked={kind === value}
                onChange={() => onChange(kind)}
                className="mt-1 size-4 shrink-0 accent-accent"
              />
              <span className="flex min-w-0 flex-col gap-1.5">
                <span className="font-[550]">{name}</span>
                <span className="text-small text-fg-3">{says}</span>
                <Drawing phases={phases} />
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

/** The phases of a custom mission, in their order. */
export function PhasesEdit({
  phases,
  error,
  onChange,
}: {
  phases: PhaseKind[];
  error: string | undefined;
  onChange: (phases: PhaseKind[]) => void;
}) {
  const move = (from: number, to: number) => {
    const next = phases.filter((_, at) => at !== from);
    next.splice(to, 0, phases[from] as PhaseKind);
    onChange(next);
  };
  return (
    <section aria-label="Phases" className="flex flex-col gap-2">
      <h3 className="text-small font-[550] text-fg-2">Phases, in order</h3>
      <ol className="flex flex-col gap-1">
        {phases.map((kind, at) => (
          <li
            key={`${at} ${kind}`}
            className="flex items-center gap-2 rounded-control border border-line px-2.5 py-1"
          >
            <span className="min-w-0 flex-1">
              {at + 1}. {phaseName(kind)}
              <span className="ml-2 text-small text-fg-3 max-sm:hidden">{phaseSays(kind)}</span>
            </span>
            <IconButton
              label={`Move phase ${at + 1} up`}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            >
              <ArrowUp size={14} aria-hidden />
            </IconButton>
            <IconButton
              label={`Move phase ${at + 1} down`}
              disabled={at === phases.length - 1}
              onClick={() => move(at, at + 1)}
            >
              <ArrowDown size={14} aria-hidden />
            </IconButton>
            <IconButton
              label={`Remove phase ${at + 1}`}
              onClick={() => onChange(phases.filter((_, one) => one !== at))}
            >
              <Trash2 size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ol>
      {error && <p className="text-small text-failed">{error}</p>}
      <div className="flex flex-wrap gap-2">
        {PHASE_KINDS.map((kind) => (
          <Button
            key={kind}
            disabled={phases.length >= MOST_PHASES}
            icon={<Plus size={14} aria-hidden />}
            onClick={() => onChange([...phases, kind])}
          >
            {phaseName(kind)}
          </Button>
        ))}
      </div>
    </section>
  );
}
