// Where each thing of the map of a mission stands.
import { TIERS, type Tier, type World } from "./world";

/** The map of a mission has this height whatever happens, so that nothing on the page moves. In pixels. */
export const HEIGHT = 336;
/** The rows of a map that is higher. */
const TIGHT = 36;
const ROW = 52;
/** Below this height of a row, a box has one line. */
export const TWO_LINES = 46;

export interface Spot {
  /** The middle, in per cent of the width. */
  x: number;
  /** The middle, in pixels. */
  y: number;
}
export interface Placed {
  /** The width of a column, in per cent. */
  column: number;
  /** The height of the rows of each column. */
  rows: Record<Tier, number>;
  spots: Map<string, Spot>;
}

/** Moves what stands too near to its neighbour down, and then all up as far as the room needs it. */
function apart(wanted: number[], row: number, top: number, height: number): number[] {
  const found: number[] = [];
  for (const y of wanted) found.push(Math.max(y, (found.at(-1) ?? top - row / 2) + row));
  let below = height + row / 2;
  for (let at = found.length - 1; at >= 0; at -= 1) {
    below = Math.min(found[at] as number, below - row);
    found[at] = below;
  }
  return found;
}

/** As high as the fullest column needs it. */
export function heightOf({ things }: World): number {
  const most = Math.max(...TIERS.map((tier) => things.filter((one) => one.tier === tier).length));
  return Math.max(HEIGHT, most * ROW > 2 * HEIGHT ? most * TIGHT : most * ROW);
}

/** Where each thing stands. Nothing that happens moves it: only another thing on the map does. */
export function placeWorld({ things, edges }: World, narrow: boolean, height = HEIGHT): Placed {
  // Where the screen is narrow, the mission stands above the rest.
  const columns = narrow ? TIERS.slice(1) : TIERS;
  const top = narrow ? ROW : 0;
  const of = (tier: Tier) => things.filter((one) => one.tier === tier);
  const rows = Object.fromEntries(
    TIERS.map((tier) => [tier, Math.min(ROW, (height - top) / Math.max(1, of(tier).length))]),
  ) as Placed["rows"];
  const column = 100 / columns.length;
  const x = (tier: Tier) => column * (columns.indexOf(tier) + 0.5);
  const spots = new Map<string, Spot>();
  const middle = (id: string) => {
    const near = edges.flatMap(([from, to]) =>
      from === id ? (spots.get(to)?.y ?? []) : to === id ? (spots.get(from)?.y ?? []) : [],
    );
    return near.length > 0 ? near.reduce((sum, y) => sum + y, 0) / near.length : (top + height) / 2;
  };
  // Agents stand in the order of their teams; a team and a machine stand where their agents are.
  const agents = of("agent");
  const begin = (top + height - agents.length * rows.agent) / 2;
  agents.forEach(({ id }, at) => spots.set(id, { x: x("agent"), y: begin + rows.agent * (at + 0.5) }));
  for (const tier of ["team", "machine"] as const) {
    const here = of(tier)
      .map(({ id }) => ({ id, y: middle(id) }))
      .toSorted((a, b) => a.y - b.y);
    const found = apart(
      here.map(({ y }) => y),
      rows[tier],
      top,
      height,
    );
    here.forEach(({ id }, at) => spots.set(id, { x: x(tier), y: found[at] as number }));
  }
  const missions = of("mission");
  missions.forEach(({ id }, at) => {
    const y = height / 2 + (at - (missions.length - 1) / 2) * rows.mission;
    spots.set(id, narrow ? { x: x("team"), y: ROW / 2 } : { x: x("mission"), y });
  });
  return { column, rows, spots };
}
