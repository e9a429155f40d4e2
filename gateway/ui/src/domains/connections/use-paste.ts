import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { asProblem, type Problem } from "~/api/problem";
import type { NewConnection } from "~/api/types";
import { paste } from "./queries";

/** Sends a secret. No mutation of the cache does it: that would keep what was sent with it for minutes. */
export function usePaste(onDone: () => void) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  /** Whether the secret may stay in its field: only where it has to be sent again as it is, or corrected. */
  const send = async (body: NewConnection): Promise<boolean> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await paste(body);
      await client.invalidateQueries({ queryKey: keys.connections });
      onDone();
      return false;
    } catch (error) {
      const refused = asProblem(error);
      setProblem(refused);
      return refused.status === 0 || refused.fields.length > 0;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, send, reset: () => setProblem(undefined) };
}
