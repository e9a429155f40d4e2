// Whether somebody reads: what is on screen stays then, and what is new is counted.
import { useEffect, useRef, useState, type PointerEvent } from "react";
import { holdGroups, type Group } from "./model";

/** Below the bars at the top of the window. */
const TOP = 88;

/**
 * Holds the groups under the pointer, under the focus, and while the beginning of the list is above the window. `chosen`
 * changes with what the reader chose, which takes effect at once.
 */
export function useReading(current: Group[], chosen: string) {
  const head = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const [by, setBy] = useState({ pointer: false, focus: false });
  const [kept, setKept] = useState<{ for: string; groups: Group[] }>();
  useEffect(() => {
    const place = head.current;
    if (!place) return undefined;
    const seen = new IntersectionObserver(
      ([one]) => one && setAway(!one.isIntersecting && one.boundingClientRect.top < TOP),
      { rootMargin: `-${TOP}px 0px 0px 0px` },
    );
    seen.observe(place);
    return () => seen.disconnect();
  }, []);
  const reading = away || by.pointer || by.focus;
  if (reading && current.length > 0 && kept?.for !== chosen) setKept({ for: chosen, groups: current });
  if (!reading && kept) setKept(undefined);
  const held = reading && kept?.for === chosen ? holdGroups(kept.groups, current) : undefined;
  const release = () => {
    setKept({ for: chosen, groups: current });
    if (away) head.current?.scrollIntoView({ block: "start" });
  };
  const pointer = (is: boolean) => (event: PointerEvent) =>
    // A finger leaves nothing.
    event.pointerType !== "touch" && setBy((now) => ({ ...now, pointer: is }));
  return {
    groups: held?.groups ?? current,
    waiting: held?.waiting ?? 0,
    release,
    head,
    bind: {
      onPointerEnter: pointer(true),
      onPointerLeave: pointer(false),
      onFocus: () => setBy((now) => ({ ...now, focus: true })),
      onBlur: () => setBy((now) => ({ ...now, focus: false })),
    },
  };
}
