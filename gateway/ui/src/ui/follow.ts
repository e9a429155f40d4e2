// A scroller that follows its end only while the reader is there.
import { useCallback, useLayoutEffect, useRef, useState } from "react";

const NEAR = 24;

/** `content` is anything that changes when something was added. */
export function useFollow<T extends HTMLElement>(content: unknown) {
  const box = useRef<T>(null);
  const at = useRef(true);
  const [following, setFollowing] = useState(true);
  const onScroll = useCallback(() => {
    const element = box.current;
    if (!element) return;
    at.current = element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR;
    setFollowing(at.current);
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && at.current) element.scrollTop = element.scrollHeight;
    // The content itself is not read, but its change is what may have moved the end.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [content]);
  const jump = useCallback(() => {
    const element = box.current;
    if (!element) return;
    at.current = true;
    setFollowing(true);
    element.scrollTop = element.scrollHeight;
  }, []);
  return { box, onScroll, following, jump };
}
