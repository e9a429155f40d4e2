// Keeps the agent at work in sight, until the reader scrolls.
import { useEffect, useRef, useState } from "react";

const KEYS = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown", " "]);
const typing = (target: EventTarget | null) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable], .xterm") !== null;

/** A browser rounds where it puts the page. */
const NEAR = 2;

/** Scrolls to the part of the page of `node` when it begins to work. The reader's own scroll ends it. */
export function useFollowWork(node: string | undefined) {
  const [following, setFollowing] = useState(true);
  /** Where the page stands without the reader: where it was put last, or where a change of its height left it. */
  const left = useRef(0);
  useEffect(() => {
    if (!following) return undefined;
    const stop = () => setFollowing(false);
    const onKey = (event: KeyboardEvent) => {
      if (KEYS.has(event.key) && !typing(event.target)) stop();
    };
    let tall = 0;
    // The browser moves the page by itself when something above grows, or when the page becomes shorter.
    const settle = () => {
      left.current = window.scrollY;
      tall = document.documentElement.scrollHeight;
    };
    // A scroll bar that is dragged, or a key that moves the focus, is seen in nothing but where the page stands. The event
    // of the browser's own move may come before the observer of the height is called.
    const onScroll = () => {
      if (document.documentElement.scrollHeight !== tall) settle();
      else if (Math.abs(window.scrollY - left.current) > NEAR) stop();
    };
    settle();
    const height = new ResizeObserver(settle);
    height.observe(document.body);
    window.addEventListener("resize", settle);
    window.addEventListener("scroll", onScroll, { passive: true });
    window.addEventListener("wheel", stop, { passive: true });
    window.addEventListener("touchmove", stop, { passive: true });
    window.addEventListener("keydown", onKey);
    return () => {
      height.disconnect();
      window.removeEventListener("resize", settle);
      window.removeEventListener("scroll", onScroll);
      window.removeEventListener("wheel", stop);
      window.removeEventListener("touchmove", stop);
      window.removeEventListener("keydown", onKey);
    };
  }, [following]);
  useEffect(() => {
    if (!following || node === undefined) return;
    document.getElementById(`agent-${node}`)?.scrollIntoView({ block: "center" });
    left.current = window.scrollY;
  }, [following, node]);
  return { following, toggle: () => setFollowing((before) => !before) };
}
