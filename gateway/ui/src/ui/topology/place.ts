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

export const BOX = { width: 144, height: 56 };
const GAP = { across: 16, along: 32 };

export interface Spot {
  x: number;
  y: number;
}
export interface Plan {
  width: number;
  height: number;
  spots: Map<string, Spot>;
  /** Rows go from left to right instead of from top to bottom. */
  sideways: boolean;
}

const extent = (count: number, size: number, gap: number) => count * size + Math.max(0, count - 1) * gap;

/** Rows from the top; a chain from the left where there is room; whatever else is too wide as well. */
export function plan(layout: readonly Placed[], room: number): Plan {
  const rows: Placed[][] = [];
  for (const one of layout) (rows[one.tier] ??= []).push(one);
  const widest = Math.max(0, ...rows.map((row) => row?.length ?? 0));
  const upright = extent(widest, BOX.width, GAP.across);
  const lying = extent(rows.length, BOX.width, GAP.along);
  const sideways = lying <= room && (widest === 1 || upright > room);
  const across = sideways ? BOX.height : BOX.width;
  const along = sideways ? BOX.width : BOX.height;
  const whole = extent(widest, across, GAP.across);
  const spots = new Map<string, Spot>();
  for (const [tier, row] of rows.entries()) {
    const inRow = (row ?? []).toSorted((a, b) => a.slot - b.slot);
    const start = (whole - extent(inRow.length, across, GAP.across)) / 2;
    for (const [slot, { node }] of inRow.entries()) {
      const [a, b] = [start + slot * (across + GAP.across), tier * (along + GAP.along)];
      spots.set(node, sideways ? { x: b, y: a } : { x: a, y: b });
    }
  }
  const length = extent(rows.length, along, GAP.along);
  return { spots, sideways, width: sideways ? length : whole, height: sideways ? whole : length };
}

/** The line of an edge and the tip of its arrow. */
export function line(from: Spot, to: Spot, sideways: boolean): { path: string; tip: string } {
  const { width: w, height: h } = BOX;
  if (sideways) {
    const right = to.x >= from.x;
    const [x1, x2] = right ? [from.x + w, to.x - 5] : [from.x, to.x + w + 5];
    const [y1, y2] = [from.y + h / 2, to.y + h / 2];
    const mid = (x1 + x2) / 2;
    const d = right ? -1 : 1;
    return {
      path: `M${x1} ${y1}C${mid} ${y1} ${mid} ${y2} ${x2} ${y2}`,
      tip: `${x2 - d * 5},${y2} ${x2 + d * 2},${y2 - 4} ${x2 + d * 2},${y2 + 4}`,
    };
  }
  const down = to.y >= from.y;
  const [y1, y2] = down ? [from.y + h, to.y - 5] : [from.y, to.y + h + 5];
  const [x1, x2] = [from.x + w / 2, to.x + w / 2];
  const mid = (y1 + y2) / 2;
  const d = down ? -1 : 1;
  return {
    path: `M${x1} ${y1}C${x1} ${mid} ${x2} ${mid} ${x2} ${y2}`,
    tip: `${x2},${y2 - d * 5} ${x2 - 4},${y2 + d * 2} ${x2 + 4},${y2 + d * 2}`,
  };
}

const KINDS = {
  single: "One alone",
  pipeline: "One after another",
  hub_spoke: "A hub and its spokes",
  hierarchical: "A hierarchy",
  star_moe: "A gate chooses experts",
} as const;
export type TopologyKind = keyof typeof KINDS;
export const KIND_NAMES = Object.entries(KINDS) as [TopologyKind, string][];
export const kindName = (kind: string) => KINDS[kind as TopologyKind] ?? kind;

interface RoleHere {
  slot: string;
  title: string;
  seat?: string | null;
}
export interface Shape {
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
  return { nodes: roles.map((role) => ({ id: role.slot, label: role.title })), edges, layout };
}
