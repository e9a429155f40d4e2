import { useNavigate, useRouterState } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";

interface Props {
  /** What the address has after `#` while this part is open. */
  id: string;
  title: string;
  /** What the part says, in a line. */
  summary: ReactNode;
  children: ReactNode;
}

/** A part of a page that is folded until a person, or a link with its name, opens it. */
export function Fold({ id, title, summary, children }: Props) {
  const named = useRouterState({ select: ({ location }) => location.hash === id });
  const navigate = useNavigate();
  const place = useRef<HTMLDetailsElement>(null);
  // A link from elsewhere leads to the part; a press on it moves nothing.
  useEffect(() => {
    const details = place.current;
    if (!named || !details || details.open) return;
    details.open = true;
    details.scrollIntoView({ block: "start" });
  }, [named]);
  return (
    <details
      ref={place}
      id={id}
      className="group/fold scroll-mt-24 rounded-panel border border-line bg-surface"
      onToggle={({ currentTarget: { open } }) => {
        if (open !== named)
          void navigate({
            to: ".",
            search: true,
            hash: open ? id : "",
            replace: true,
            resetScroll: false,
            hashScrollIntoView: false,
          });
      }}
    >
      <summary className="flex min-h-11 cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-panel px-4 py-1.5 hover:bg-line/25">
        <ChevronRight
          size={14}
          aria-hidden
          className="shrink-0 text-fg-3 transition-transform group-open/fold:rotate-90"
        />
        <h2 className="text-head-3">{title}</h2>
        <span className="min-w-0 text-fg-2">{summary}</span>
      </summary>
      <div className="border-t border-line">{children}</div>
    </details>
  );
}
