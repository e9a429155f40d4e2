import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { teamsQuery } from "~/api/teams";
import { watchEvents } from "~/live/provider";
import { renew } from "~/live/renew";

const PAUSE_MS = 800;

/** A team's line tells of its last run, of which only the run's own events tell. Many runs at work ask once together. */
export function useLastRuns() {
  const client = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = watchEvents(({ type, data }) => {
      if (type !== "resource.changed" || data["kind"] !== "run") return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void renew(client, { queryKey: teamsQuery.queryKey });
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);
}
