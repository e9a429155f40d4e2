import type { Node, NodeSandbox } from "~/api/types";
import { share } from "~/ui/bytes";

export interface Reserved {
  memory: number | undefined;
  cpu: number | undefined;
}

/** What the sandboxes on a machine were promised, in percent of it. Unknown as long as one promise is unknown. */
export function reserved(node: Node, sandboxes: NodeSandbox[] | undefined): Reserved {
  if (node.sandboxes === 0) return { memory: 0, cpu: 0 };
  const live = sandboxes?.filter((one) => one.state !== "lost");
  if (!live) return { memory: undefined, cpu: undefined };
  const sum = (pick: (one: NodeSandbox) => number | null | undefined) =>
    live.reduce<number | undefined>((total, one) => {
      const part = pick(one);
      return total === undefined || part === null || part === undefined ? undefined : total + part;
    }, 0);
  const cores = node.health?.cores;
  return {
    memory: share(
      sum((one) => one.limits.memory_bytes),
      node.health?.memory_total_bytes,
    ),
    cpu: share(
      sum((one) => one.limits.nano_cpus),
      cores ? cores * 1e9 : undefined,
    ),
  };
}
