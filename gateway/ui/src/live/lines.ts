// The list of machines is kept by its lines: what changed is asked for alone, a few times a second at most, since a large
// fleet reports all the time and its whole list is long.
import type { QueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { NodeLine } from "~/api/types";

/** More than the gateway answers at once: then the whole list is asked again. */
export const MOST_IDS = 100;
const PAUSE_MS = 250;

/** The list with news in place. Lines that were asked for and did not come are gone; unchanged ones stay the same object. */
export function merged(list: NodeLine[], asked: ReadonlySet<string>, news: NodeLine[]): NodeLine[] {
  const fresh = new Map(news.map((line) => [line.id, line]));
  const kept = list.flatMap((line) => {
    if (!asked.has(line.id)) return [line];
    const next = fresh.get(line.id);
    fresh.delete(line.id);
    if (!next) return [];
    return [next.rev < line.rev ? line : next];
  });
  return fresh.size > 0 ? [...kept, ...fresh.values()] : kept;
}

interface Waiting {
  ids: Set<string>;
  running: boolean;
}

const waiting = new WeakMap<QueryClient, Waiting>();

/** Notes that a machine changed; its line follows. */
export function renewLine(client: QueryClient, id: string) {
  const mine = waiting.get(client) ?? { ids: new Set<string>(), running: false };
  waiting.set(client, mine);
  mine.ids.add(id);
  if (mine.running) return;
  mine.running = true;
  void run(client, mine).finally(() => {
    mine.running = false;
  });
}

async function run(client: QueryClient, mine: Waiting) {
  while (mine.ids.size > 0) {
    const asked = new Set(mine.ids);
    mine.ids.clear();
    const list = client.getQueryCache().find({ queryKey: keys.nodes, exact: true });
    // Nobody has the list, or it is on its way anyway.
    if (!list) return;
    if (!list.isActive() || asked.size > MOST_IDS) {
      await client.invalidateQueries({ queryKey: keys.nodes, exact: true });
    } else {
      try {
        const query = { ids: [...asked].join(",") };
        const { items } = await api.get("/api/nodes/lines", { query });
        client.setQueryData<NodeLine[]>(keys.nodes, (before) => before && merged(before, asked, items));
      } catch {
        // The list itself says what is wrong, when it is asked again.
        await client.invalidateQueries({ queryKey: keys.nodes, exact: true });
      }
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}
