// Keeps the tab's stream open while somebody is signed in.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { applyEvents, eventKey } from "./apply";
import { makeBatch } from "./batch";
import { openStream, type LiveEvent } from "./stream";

/** `workspace` reopens the stream when the person changes to another workspace. */
export function useLiveEvents(workspace: string | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (!workspace) return;
    const batch = makeBatch<LiveEvent>(
      (events) => applyEvents(client, events),
      (run) => requestAnimationFrame(run),
    );
    const stream = openStream(
      (event) => batch.push(eventKey(event), event),
      () => void client.invalidateQueries(),
    );
    return () => stream.close();
  }, [client, workspace]);
}
