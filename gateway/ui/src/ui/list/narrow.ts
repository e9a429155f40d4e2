import { useSyncExternalStore } from "react";

const narrow = window.matchMedia?.("(width < 40rem)");

/** Whether the screen is a phone's, where rows have further lines in place of columns. */
export const useNarrow = () =>
  useSyncExternalStore(
    (call) => {
      narrow?.addEventListener("change", call);
      return () => narrow?.removeEventListener("change", call);
    },
    () => narrow?.matches ?? false,
  );
