// Keeps this tab live while somebody is signed in: by the stream that it holds, or by that of another tab.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "~/api/client";
import { applyEvents, eventKey } from "./apply";
import { makeBatch } from "./batch";
import { useLink } from "./link";
import { renew } from "./renew";
import { openShared, tabChannel } from "./shared";
import type { LiveEvent } from "./stream";

const watchers = new Set<(event: LiveEvent, leading: boolean) => void>();

/** Hears every event, none left out or joined with another. `leading`: of all tabs of this browser only one is told so. */
export function watchEvents(call: (event: LiveEvent, leading: boolean) => void): () => void {
  watchers.add(call);
  return () => watchers.delete(call);
}

/** Another `user` or `workspace` has another stream. */
export function useLiveEvents(user: string | undefined, workspace: string | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (!user || !workspace) return;
    const batch = makeBatch<LiveEvent>(
      (events) => applyEvents(client, events),
      (run) => requestAnimationFrame(run),
    );
    const stream = openShared(tabChannel(`roost-live-1:${user}:${workspace}`), {
      onEvent: (event, leading) => {
        batch.push(eventKey(event), event);
        watchers.forEach((call) => call(event, leading));
      },
      onReset: () => void renew(client),
      // A session that has ended is told by any answer; the page may have nothing else to ask.
      onRefused: () => void api.get("/api/auth/me").catch(() => undefined),
    });
    // A stream that goes on where it was cut tells what was missed, but not of requests that failed meanwhile.
    const unlink = useLink.subscribe((now, was) => {
      if (now.state === "live" && was.state !== "live")
        void client.refetchQueries(
          { type: "active", predicate: ({ state }) => state.status === "error" },
          { cancelRefetch: false },
        );
    });
    return () => {
      unlink();
      stream.close();
    };
  }, [client, user, workspace]);
}
