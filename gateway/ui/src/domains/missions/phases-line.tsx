import type { PhaseKind, PhaseStatus } from "~/api/missions";
import { cx } from "~/ui/class";
import { PHASE_GROUND, phasesWord } from "./words";

/** All phases of a mission, each as a part of a line. Screen readers get the words. */
export function PhasesLine({
  phases,
  className,
}: {
  phases: readonly { id: string; kind: PhaseKind; status: PhaseStatus }[];
  className?: string;
}) {
  const words = phasesWord(phases);
  return (
    <span role="img" aria-label={words} title={words} className={cx("flex h-1.5 w-full gap-0.5", className)}>
      {phases.map(({ id, status }) => (
        <span
          key={id}
          className={cx("min-w-1 flex-1 rounded-full", PHASE_GROUND[status], status === "running" && "pulse")}
        />
      ))}
    </span>
  );
}
