// A scroller that follows its end only while the reader is there.
import { useCallback, useLayoutEffect, useRef, useState } from "react";

const NEAR = 24;

const fromEnd = (element: HTMLElement) => element.scrollHeight - element.scrollTop - element.clientHeight;

/** `content` is anything that changes when something was added. */
export function useFollow<T extends HTMLElement>(content: unknown) {
  const box = useRef<T>(null);
  const at = useRef(true);
  /** Where the scroller was put last. */
  const put = useRef(0);
  const [following, setFollowing] = useState(true);
  const onScroll = useCallback(() => {
    const element = box.current;
    if (!element) return;
    at.current = fromEnd(element) <= NEAR;
    put.current = element.scrollTop;
    setFollowing(at.current);
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !at.current) return;
    // The reader has scrolled up, and that is told only with the next frame: being pulled back would undo it.
    if (put.current - element.scrollTop > NEAR && fromEnd(element) > NEAR) return;
    element.scrollTop = element.scrollHeight;
    put.current = element.scrollTop;
    // The content itself is not read, but its change is what may have moved the end.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [content]);
  const jump = useCallback(() => {
    const element = box.current;
    if (!element) return;
    at.current = true;
    setFollowing(true);
    element.scrollTop = element.scrollHeight;
    put.current = element.scrollTop;
  }, []);
  return { box, onScroll, following, jump };
}
