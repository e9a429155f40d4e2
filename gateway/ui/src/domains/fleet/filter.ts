import type { Node } from "~/api/types";
import { nodeState } from "./words";

/** `state:offline gpu-box`: each word must be found, `state:` in the state's name, the rest in name, host, system. */
export function matches(node: Node, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => {
    const state = word.startsWith("state:") ? word.slice(6) : undefined;
    if (state !== undefined)
      return nodeState(node).word.toLowerCase().includes(state) || node.status.includes(state);
    return [node.name, node.hostname, node.os, node.arch, node.daemon_version].some((text) =>
      text?.toLowerCase().includes(word),
    );
  });
}

/** Stable order: by name, then by id, so that live values never move a row. */
export function byName<T extends { id: string; name: string }>(list: T[]): T[] {
  return list.toSorted(
    (a, b) => a.name.localeCompare(b.name, "en", { numeric: true }) || a.id.localeCompare(b.id),
  );
}
