import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";

const ShortcutHelp = lazy(() =>
  import("./overlays").then((overlays) => ({ default: overlays.ShortcutHelp })),
);
const PLACES = { f: "/fleet", a: "/agents", q: "/quotas", p: "/members" } as const;
/** Keys are left alone while somebody types. */
function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function Shortcuts() {
  const navigate = useNavigate();
  const [help, setHelp] = useState(false);
  const leader = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const place = PLACES[event.key as keyof typeof PLACES];
      if (place && Date.now() - leader.current < 1500) void navigate({ to: place });
      leader.current = event.key === "g" ? Date.now() : 0;
      if (event.key === "?") setHelp(true);
      const filter = event.key === "/" ? document.querySelector<HTMLInputElement>("[data-filter]") : null;
      if (!filter) return;
      event.preventDefault();
      filter.focus();
    };
    globalThis.addEventListener("keydown", press);
    return () => globalThis.removeEventListener("keydown", press);
  }, [navigate]);
  return help ? (
    <Suspense>
      <ShortcutHelp onClose={() => setHelp(false)} />
    </Suspense>
  ) : null;
}
