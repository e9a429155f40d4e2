import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem, type Problem } from "~/api/problem";

/**
 * Sends a form with a secret in it. No mutation of the cache does it: that would keep what was sent with it for minutes.
 * Once it was sent the secret is cleared, unless it has to be sent again as it is: nothing went out, or a field is to blame.
 */
export function useSending(renews: readonly unknown[], onDone: () => void) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [shown, setShown] = useState(false);
  const send = async (form: HTMLFormElement, act: () => Promise<unknown>) => {
    const clear = () =>
      form.querySelectorAll<HTMLInputElement>("[type=password]").forEach((field) => (field.value = ""));
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
      clear();
      await client.invalidateQueries({ queryKey: renews });
      onDone();
    } catch (error) {
      const refused = asProblem(error);
      // What two people changed at the same time is sent again as it is.
      if (refused.status > 0 && refused.fields.length === 0 && refused.code !== "clash") clear();
      // A field is called as its pointer.
      const names = [...new FormData(form).keys()];
      setShown(refused.fields.some(({ pointer }) => names.includes(pointer.replace(/^#?\//, ""))));
      setProblem(refused);
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    problem,
    /** What no field of the form shows. */
    unplaced: shown ? undefined : problem,
    send,
    reset: () => setProblem(undefined),
  };
}
