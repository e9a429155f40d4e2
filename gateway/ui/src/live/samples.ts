// The figures that a machine reported while its page was open: the live end of its charts.
import type { QueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import type { Node, NodeReport } from "~/api/types";

const KEEP = 720; // two hours at one report each ten seconds
const samples = new Map<string, NodeReport[]>();
const watchers = new Map<string, Set<() => void>>();
const NONE: NodeReport[] = [];

/** The node's latest report, if it ever made one. */
export const reportOf = ({ health, gpu_pct, temp_max }: Node): NodeReport | undefined =>
  health ? { ...health, gpu_pct, temp_max } : undefined;

/** Appends a report when it is newer than the last one; lists are replaced, never changed in place. */
export function record(id: string, report: NodeReport | undefined) {
  if (!report) return;
  const before = samples.get(id) ?? NONE;
  const last = before.at(-1);
  if (last && Date.parse(report.at) <= Date.parse(last.at)) return;
  samples.set(id, [...before.slice(1 - KEEP), report]);
  watchers.get(id)?.forEach((call) => call());
}

export function samplesOf(id: string): NodeReport[] {
  return samples.get(id) ?? NONE;
}

export function watchNode(id: string, call: () => void): () => void {
  const set = watchers.get(id) ?? new Set();
  watchers.set(id, set.add(call));
  return () => set.delete(call);
}

/** Listens to every node that enters the cache, whichever page asked for it. */
export function watchSamples(client: QueryClient): () => void {
  return client.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "success") return;
    const key = event.query.queryKey;
    if (key[0] !== keys.nodes[0] || key.length !== 2) return;
    const node = event.query.state.data as Node | undefined;
    if (node) record(node.id, reportOf(node));
  });
}
