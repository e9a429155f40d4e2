// State is always a shape, a word and a colour together.
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleSlash,
  Hourglass,
  OctagonAlert,
  TriangleAlert,
  type LucideIcon,
} from "lucide-react";
import { cx } from "./class";

export type Tone =
  "running" | "waiting" | "warning" | "failed" | "done" | "idle" | "paused" | "offline" | "moving";

const TONES: Record<Tone, { icon: LucideIcon; color: string }> = {
  running: { icon: CircleDot, color: "text-accent" },
  waiting: { icon: Hourglass, color: "text-waiting" },
  warning: { icon: TriangleAlert, color: "text-waiting" },
  failed: { icon: OctagonAlert, color: "text-failed" },
  done: { icon: CircleCheck, color: "text-done" },
  idle: { icon: Circle, color: "text-idle" },
  paused: { icon: CirclePause, color: "text-info" },
  offline: { icon: CircleSlash, color: "text-offline" },
  moving: { icon: CircleDashed, color: "text-info" },
};

interface Props {
  tone: Tone;
  word: string;
  /** Longer explanation, shown as tooltip. */
  title?: string | undefined;
  /** Leaves the word to screen readers. */
  compact?: boolean;
  className?: string;
}

export function Status({ tone, word, title, compact, className }: Props) {
  const { icon: Icon, color } = TONES[tone];
  return (
    <span
      // The word is on the line of the text around it. An icon alone has no word to align, so its middle is.
      className={cx(
        "inline-flex items-baseline gap-1.5 whitespace-nowrap",
        compact && "align-middle",
        color,
        className,
      )}
      title={title}
    >
      <Icon size={14} strokeWidth={2.25} aria-hidden className="shrink-0 self-center" />
      <span className={compact ? "sr-only" : undefined}>{word}</span>
    </span>
  );
}
