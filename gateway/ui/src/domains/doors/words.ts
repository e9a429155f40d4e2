// What a request's state means for people, and which requests fit a filter.
import type { Door, DoorState } from "~/api/doors";
import type { Tone } from "~/ui/status";

type About = Pick<Door, "address" | "result" | "packages">;

export const states: Record<
  DoorState,
  { tone: Tone; word: string; says?: string | ((door: About) => string) }
> = {
  pending: { tone: "waiting", word: "Waiting for a decision" },
  approved: { tone: "moving", word: "Approved", says: "Roost performs it in a moment." },
  performing: { tone: "moving", word: "In progress" },
  performed: { tone: "done", word: "Done" },
  denied: {
    tone: "offline",
    word: "Denied",
    says: ({ packages }) => (packages ? "Nothing was fetched." : "Nothing was sent."),
  },
  expired: { tone: "offline", word: "Expired", says: "Nobody decided in time, so it counts as denied." },
  failed: {
    tone: "failed",
    word: "Failed",
    // An answer has a status. Without one the request never reached the app, or the app let nobody in.
    says: ({ result }) =>
      result?.status == null ? "The request was not carried out." : "The app refused the request.",
  },
  unclear: {
    tone: "warning",
    word: "Unclear",
    says: ({ address }) => `No response arrived. Check ${hostOf(address)} before you retry.`,
  },
};

/** A state that this page does not know yet is still shown. */
export const stateOf = (state: DoorState) => states[state] ?? { tone: "idle" as Tone, word: state };

const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : "the app");

/** What a state means for this request. */
export function saysOf(door: About & Pick<Door, "state">): string | undefined {
  const { says } = states[door.state] ?? {};
  return typeof says === "function" ? says(door) : says;
}

/** The web page of a result, where it is one. */
export function pageOf(address: string | null | undefined): URL | undefined {
  if (!address || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
}

/** Every word must be found in whose it is, what it is, where, or how it stands. */
export function matches(door: Door, agent: string, title: string, filter: string): boolean {
  const texts = [agent, title, door.action, door.target, stateOf(door.state).word];
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => texts.some((text) => text.toLowerCase().includes(part)));
}

const LONG = 400;
const LINES = 8;

/** The beginning of a long text; undefined where it is short. Never ends in the middle of a character. */
export function beginning(text: string): string | undefined {
  const lines = text.split("\n");
  const few = lines.slice(0, LINES).join("\n");
  if (few.length <= LONG) return lines.length > LINES ? few : undefined;
  const cut = few.slice(0, LONG);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

interface Known {
  title?: string;
  description?: string;
}

interface Schema {
  properties?: Record<string, Known | null>;
  required?: unknown;
}

/** What the catalogue says of each parameter: what must be there first, in its order. Nothing is believed of its shape. */
export function described(schema: unknown): Map<string, Known> {
  const { properties, required } = (schema ?? {}) as Schema;
  if (typeof properties !== "object" || !properties) return new Map();
  const first = Array.isArray(required) ? required.filter((name) => Object.hasOwn(properties, name)) : [];
  const names = [...new Set<string>([...first, ...Object.keys(properties)])];
  return new Map(names.map((name) => [name, properties[name] ?? {}]));
}

/** Every parameter, those of the catalogue first; none is left out because the catalogue does not know it. */
export function ordered(params: Record<string, unknown>, schema: unknown): [string, unknown][] {
  const known = [...described(schema).keys()];
  const rank = (name: string) => {
    const at = known.indexOf(name);
    return at === -1 ? known.length : at;
  };
  return Object.entries(params).toSorted(([a], [b]) => rank(a) - rank(b));
}

export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A value as text: a text as it is, everything else as JSON. */
export const asText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
