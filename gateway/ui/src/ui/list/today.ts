import { useSyncExternalStore } from "react";
import { dayOf } from "./range";

const MINUTE_MS = 60_000;

function eachMinute(call: () => void) {
  const timer = setInterval(call, MINUTE_MS);
  return () => clearInterval(timer);
}

/** The present day, also on a page that stays open over midnight. */
export const useToday = (): string => useSyncExternalStore(eachMinute, () => dayOf(new Date()));
