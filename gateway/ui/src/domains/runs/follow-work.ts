// Keeps the agent at work in sight, until the reader scrolls.
import { useEffect, useState } from "react";

const KEYS = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown", " "]);
const typing = (target: EventTarget | null) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable], .xterm") !== null;

/** Scrolls to the part of the page of `node` when it begins to work. The reader's own scroll ends it. */
export function useFollowWork(node: string | undefined) {
  const [following, setFollowing] = useState(true);
  useEffect(() => {
    if (!following) return undefined;
    const stop = () => setFollowing(false);
    const onKey = (event: KeyboardEvent) => {
      if (KEYS.has(event.key) && !typing(event.target)) stop();
    };
    window.addEventListener("wheel", stop, { passive: true });
    window.addEventListener("touchmove", stop, { passive: true });
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("wheel", stop);
      window.removeEventListener("touchmove", stop);
      window.removeEventListener("keydown", onKey);
    };
  }, [following]);
  useEffect(() => {
    if (!following || node === undefined) return;
    document.getElementById(`agent-${node}`)?.scrollIntoView({ block: "center" });
  }, [following, node]);
  return { following, toggle: () => setFollowing((before) => !before) };
}
