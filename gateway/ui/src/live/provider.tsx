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

type Watcher = (event: LiveEvent, leading: boolean) => void;
const watchers = new Set<Watcher>();
/** A part of the program that does not arrive must not make the page keep every event. */
const MOST_EARLY = 100;
/** What was heard before anybody watched from the first event on. */
let early: Parameters<Watcher>[] | undefined = [];

/** Hears every event, none left out or joined with another. `leading`: of all tabs of this browser only one is told so. */
export function watchEvents(call: Watcher): () => void {
  watchers.add(call);
  return () => watchers.delete(call);
}

/** As `watchEvents`, for the part that tells people of events: what it was not there for is told first. */
export function watchAllEvents(call: Watcher): () => void {
  early?.forEach((heard) => call(...heard));
  early = undefined;
  return watchEvents(call);
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
        if (early && early.length < MOST_EARLY) early.push([event, leading]);
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
      if (early) early = [];
    };
  }, [client, user, workspace]);
}
