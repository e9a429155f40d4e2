import { gatewayNow } from "~/api/clock";
import { useSyncExternalStore } from "react";
import { DASH } from "./bytes";

// One clock for the whole page: every age on screen moves at the same moment.
let now = gatewayNow();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(call: () => void) {
  watchers.add(call);
  timer ??= setInterval(() => {
    now = gatewayNow();
    watchers.forEach((one) => one());
  }, 1000);
  return () => {
    watchers.delete(call);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time of day in ms, renewed each second. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

/** A span as one or two units: `4 s`, `3 min 20 s`, `2 h 5 min`, `6 d 4 h`. */
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return min < 10 ? `${min} min ${s % 60} s` : `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 24) return `${h} h ${min % 60} min`;
  const d = Math.floor(h / 24);
  return d < 14 ? `${d} d ${h % 24} h` : `${d} d`;
}

/** A duration of a finished thing: exact below ten seconds. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return DASH;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return span(ms);
}

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function clockTime(at: string | number | null | undefined): string {
  if (!at) return DASH;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? DASH : clock.format(date);
}

/** How long ago something was, growing older on screen; the exact time is its tooltip. */
export function Ago({ at, never = "not yet" }: { at: string | null | undefined; never?: string }) {
  const current = useNow();
  if (!at) return <span className="text-fg-3">{never}</span>;
  const then = new Date(at);
  if (Number.isNaN(then.getTime())) return <span className="text-fg-3">{DASH}</span>;
  const age = Math.max(0, current - then.getTime());
  return (
    <time dateTime={at} title={exact.format(then)} className="whitespace-nowrap">
      {age < 5000 ? "just now" : `${span(age)} ago`}
    </time>
  );
}

/** Time left until a moment, as text that counts down. */
export function useRemaining(until: string | null | undefined): number {
  const current = useNow();
  return until ? Math.max(0, new Date(until).getTime() - current) : 0;
}
