// The limits of a sandbox as people type them: memory in GiB, processors in whole and half ones.
import type { components } from "~/api/schema";

export type ChosenLimits = components["schemas"]["NewLimits"];

const GIB = 1024 ** 3;
const NANO = 1_000_000_000;

export interface TypedLimits {
  memory: string;
  cpus: string;
}

const shown = (value: number | null | undefined, unit: number) =>
  value === null || value === undefined ? "" : String(Number((value / unit).toFixed(2)));

export const typedLimits = (limits: ChosenLimits): TypedLimits => ({
  memory: shown(limits.memory_bytes, GIB),
  cpus: shown(limits.nano_cpus, NANO),
});

const read = (typed: string, unit: number) => {
  const number = Number(typed.trim().replace(",", "."));
  return typed.trim() && Number.isFinite(number) ? Math.round(number * unit) : undefined;
};

/** What is sent: limits that are not on the form stay as they are, an empty field removes its limit. */
export function limitsOf(typed: TypedLimits, before: ChosenLimits = {}): ChosenLimits {
  const { memory_bytes: _memory, nano_cpus: _cpus, ...rest } = before;
  const [memory, cpus] = [read(typed.memory, GIB), read(typed.cpus, NANO)];
  return {
    ...rest,
    ...(memory !== undefined && { memory_bytes: memory }),
    ...(cpus !== undefined && { nano_cpus: cpus }),
  };
}

/** The limits in words. */
export function limitWords(limits: ChosenLimits): string {
  const { memory, cpus } = typedLimits(limits);
  const words = [memory && `${memory} GiB of memory`, cpus && `${cpus} CPU`].filter(Boolean);
  return words.join(", ") || "the machine's usual ones";
}
