// Where the nodes of a topology stand on screen, and how its edges run between them. The gateway says the rows.

export interface Drawn {
  id: string;
  label?: string;
}
export interface Edge {
  from: string;
  to: string;
  kind?: "parent" | "peer" | "flow";
}
export interface Placed {
  node: string;
  tier: number;
  slot: number;
}

/** A box at its least; where there is room its name gets more of it. */
export const BOX = { width: 144, height: 56 };
const MOST_WIDTH = 224;
const GAP = { across: 16, along: 32 };

export interface Spot {
  x: number;
  y: number;
}
export interface Plan {
  width: number;
  height: number;
  box: typeof BOX;
  spots: Map<string, Spot>;
  /** Rows go from left to right instead of from top to bottom. */
  sideways: boolean;
}
export interface Wires {
  kind?: string;
  edges?: readonly Edge[];
}

const extent = (count: number, size: number, gap: number) => count * size + Math.max(0, count - 1) * gap;

/** Rows by their tiers, each with the place of its nodes in it; all rows are centred on the widest. */
function inRows(layout: readonly Placed[], kind: string | undefined): Map<string, Spot> {
  const rows: Placed[][] = [];
  for (const one of layout) (rows[one.tier] ??= []).push(one);
  let names = [...rows].map((row) => (row ?? []).toSorted((a, b) => a.slot - b.slot).map(({ node }) => node));
  // The hub stands in the middle of its spokes, not above them as a lead does; with two it would look like a chain.
  const [hub, spokes] = names;
  if (kind === "hub_spoke" && hub && spokes && spokes.length > 2) {
    const half = Math.floor(spokes.length / 2);
    names = [spokes.slice(0, half), hub, spokes.slice(half)].filter((row) => row.length > 0);
  }
  const widest = Math.max(0, ...names.map((row) => row.length));
  return new Map(
    names.flatMap((row, y) => row.map((node, x) => [node, { x: x + (widest - row.length) / 2, y }] as const)),
  );
}

/** A tree: each stands above the middle of those below it. */
function inTree(layout: readonly Placed[], edges: readonly Edge[]): Map<string, Spot> {
  const found = new Map<string, Spot>();
  let leaves = 0;
  const place = (node: string, y: number): number => {
    found.set(node, { x: 0, y });
    const below = edges
      .filter(({ from, to }) => from === node && !found.has(to))
      .map(({ to }) => place(to, y + 1));
    const x = below.length > 0 ? ((below[0] ?? 0) + (below.at(-1) ?? 0)) / 2 : leaves++;
    found.set(node, { x, y });
    return x;
  };
  const led = new Set(edges.map(({ to }) => to));
  for (const { node } of layout) if (!led.has(node)) place(node, 0);
  return found;
}

/** Rows from the top; a chain from the left where there is room; whatever else is too wide as well. */
export function plan(layout: readonly Placed[], room: number, { kind, edges }: Wires = {}): Plan {
  const cells = kind === "hierarchical" && edges ? inTree(layout, edges) : inRows(layout, kind);
  const columns = 1 + Math.max(-1, ...[...cells.values()].map(({ x }) => x));
  const rows = 1 + Math.max(-1, ...[...cells.values()].map(({ y }) => y));
  const upright = extent(columns, BOX.width, GAP.across);
  const lying = extent(rows, BOX.width, GAP.along);
  const sideways = lying <= room && (columns === 1 || upright > room);
  const [count, gap] = sideways ? [rows, GAP.along] : [columns, GAP.across];
  const wide = Math.floor((room + gap) / Math.max(1, count)) - gap;
  const box = { ...BOX, width: Math.max(BOX.width, Math.min(MOST_WIDTH, wide)) };
  const across = sideways ? box.height : box.width;
  const along = sideways ? box.width : box.height;
  const spots = new Map<string, Spot>();
  for (const [node, { x, y }] of cells) {
    const [a, b] = [x * (across + GAP.across), y * (along + GAP.along)];
    spots.set(node, sideways ? { x: b, y: a } : { x: a, y: b });
  }
  const [whole, length] = [extent(columns, across, GAP.across), extent(rows, along, GAP.along)];
  return { spots, box, sideways, width: sideways ? length : whole, height: sideways ? whole : length };
}

/** How edges look: a hub's go both ways, a tree's are its branches, a gate's are dashed until it has chosen. */
export function lookOf(kind: string | undefined, { kind: edge }: Edge, gates: boolean) {
  const [hub, tree] = [kind === "hub_spoke", kind === "hierarchical"];
  return {
    tip: edge !== "peer" && !tree,
    back: edge !== "peer" && hub,
    branch: tree,
    dashed: edge === "peer" || (kind === "star_moe" && gates),
  };
}

/** The line of an edge, the tip of its arrow, and the tip at its beginning if it goes both ways. */
export function line(
  from: Spot,
  to: Spot,
  { sideways, box }: Pick<Plan, "sideways" | "box">,
  { tip, back, branch }: { tip?: boolean; back?: boolean; branch?: boolean } = { tip: true },
): { path: string; tip: string; back: string } {
  // In terms of the direction in which the rows go, a; b is across it.
  const [long, short] = sideways ? [box.width, box.height] : [box.height, box.width];
  const [fa, fb, ta, tb] = sideways ? [from.x, from.y, to.x, to.y] : [from.y, from.x, to.y, to.x];
  const d = ta >= fa ? 1 : -1;
  const begin = (d > 0 ? fa + long : fa) + (back ? d * 5 : 0);
  const end = (d > 0 ? ta : ta + long) - (tip ? d * 5 : 0);
  const [b1, b2] = [fb + short / 2, tb + short / 2];
  const mid = (begin + end) / 2;
  const at = (a: number, b: number) => (sideways ? `${a},${b}` : `${b},${a}`);
  const head = (a: number, b: number, way: number) =>
    `${at(a + way * 5, b)} ${at(a - way * 2, b - 4)} ${at(a - way * 2, b + 4)}`;
  const bend = branch ? "L" : "C";
  return {
    path: `M${at(begin, b1)}${bend}${at(mid, b1)} ${at(mid, b2)} ${at(end, b2)}`,
    tip: head(end, b2, d),
    back: head(begin, b1, -d),
  };
}

interface RoleHere {
  slot: string;
  title: string;
  seat?: string | null;
}
export interface Shape {
  kind: string;
  nodes: Drawn[];
  edges: Edge[];
  layout: Placed[];
}

const leading = (roles: RoleHere[], seats: string[]) => {
  for (const seat of seats) {
    const at = roles.findIndex((role) => role.seat === seat);
    if (at !== -1) return at;
  }
  return 0;
};

/** What the gateway will make of a kind and roles: the picture of a team before there is one. */
export function shapeOf(kind: string, all: readonly RoleHere[]): Shape {
  const roles = kind === "single" ? all.slice(0, 1) : [...all];
  const edges: Edge[] = [];
  const rows: number[][] = [];
  const at = (index: number) => roles[index]?.slot ?? "";
  const add = (from: number, to: number, how: Edge["kind"]) =>
    edges.push({ from: at(from), to: at(to), kind: how ?? "parent" });
  const every = roles.map((_, index) => index);
  if (kind === "hub_spoke") {
    const hub = leading(roles, ["hub", "lead", "gate"]);
    const spokes = every.filter((one) => one !== hub);
    spokes.forEach((one) => add(hub, one, "parent"));
    rows.push([hub], spokes);
  } else if (kind === "star_moe") {
    const gate = leading(roles, ["gate", "hub", "lead"]);
    const hub = leading(roles, ["hub", "gate", "lead"]);
    const experts = every.filter((one) => one !== gate && one !== hub);
    experts.forEach((one) => {
      add(gate, one, "flow");
      if (gate !== hub) add(one, hub, "flow");
    });
    rows.push([gate], experts, ...(gate === hub ? [] : [[hub]]));
  } else if (kind === "hierarchical") {
    const top = leading(roles, ["hub", "lead"]);
    let above = top;
    const below: number[] = [];
    const lowest: number[] = [];
    for (const one of every.filter((index) => index !== top)) {
      const leads = roles[one]?.seat === "lead";
      add(leads ? top : above, one, "parent");
      (leads || above === top ? below : lowest).push(one);
      if (leads) above = one;
    }
    rows.push([top], below, lowest);
  } else {
    every.slice(1).forEach((one) => add(one - 1, one, "flow"));
    rows.push(...every.map((one) => [one]));
  }
  const layout = rows
    .filter((row) => row.length > 0)
    .flatMap((row, tier) => row.map((one, slot) => ({ node: at(one), tier, slot })));
  return { kind, nodes: roles.map((role) => ({ id: role.slot, label: role.title })), edges, layout };
}
