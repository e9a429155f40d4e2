// A page is shown when all that it asks for at first is there: parts that come one after another would push each other away.
import { useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useState } from "react";
import { areComing } from "./arriving";

/** Where something takes longer, the page is shown without it, with what stands in its place. */
const MOST_MS = 600;
/**
 * The longest part of one frame that counts. The limit is for slow answers. On a slow processor, a page that is shown while
 * its answers are still drawn would come in pieces.
 */
const FRAME_MS = 25;
/** What has come may ask for more, or load a further part of the program. */
const QUIET_FRAMES = 3;
/** An answer is in the store a moment before the part is drawn that asks for the next one. */
const ANSWERED_FRAMES = 2;

export function useWhole(): boolean {
  const client = useQueryClient();
  const [whole, setWhole] = useState(false);
  useLayoutEffect(() => {
    const cache = client.getQueryCache();
    let waited = 0;
    let last = performance.now();
    let quiet = 0;
    let frame = 0;
    const look = () => {
      const now = performance.now();
      waited += Math.min(now - last, FRAME_MS);
      last = now;
      const open = cache.findAll({ predicate: ({ state }) => state.status === "pending" });
      quiet = areComing() || open.some(({ state }) => state.fetchStatus !== "idle") ? 0 : quiet + 1;
      // All was known already: the page is there at once.
      const known = frame === 0 && open.length === 0 && !areComing();
      const enough = open.length === 0 ? ANSWERED_FRAMES : QUIET_FRAMES;
      if (known || quiet > enough || waited > MOST_MS) setWhole(true);
      else frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [client]);
  return whole;
}
