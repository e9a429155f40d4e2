import { useEffect, useState } from "react";

const PAUSE_MS = 200;

/** What was typed, once the person pauses: a request for each letter would be answered in any order. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    // Cleared is cleared at once.
    const timer = setTimeout(() => setSettled(text), text === "" ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
