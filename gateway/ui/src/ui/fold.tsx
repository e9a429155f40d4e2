import { useNavigate, useRouterState } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Panel } from "./panel";

interface Props {
  /** What the address has after `#` while this part is open. */
  id: string;
  title: string;
  /** What the part says, in a line. */
  summary: ReactNode;
  /** Opens the part once, for example because a field in it was refused. */
  opened?: boolean | undefined;
  children: ReactNode;
}

/** A part of a page that is folded until a person, or a link with its name, opens it. */
export function Fold({ id, title, summary, opened, children }: Props) {
  const named = useRouterState({ select: ({ location }) => location.hash === id });
  const navigate = useNavigate();
  const place = useRef<HTMLDetailsElement>(null);
  const pressed = useRef(false);
  // A link from elsewhere leads to the part; a press on it moves nothing.
  useEffect(() => {
    const details = place.current;
    if (!named || !details || details.open) return;
    details.open = true;
    details.scrollIntoView({ block: "start" });
  }, [named]);
  useEffect(() => {
    if (opened && place.current) place.current.open = true;
  }, [opened]);
  return (
    <details
      ref={place}
      id={id}
      className="group/fold scroll-mt-24 rounded-panel border border-line bg-surface"
      onToggle={({ currentTarget: { open } }) => {
        // Only what a person opened or closed belongs into the address.
        if (pressed.current && open !== named)
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
      {/* A key presses it too. */}
      <summary
        onClick={() => {
          pressed.current = true;
        }}
        className="flex min-h-11 cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-panel px-4 py-1.5 hover:bg-line/25"
      >
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

interface NarrowProps extends Props {
  /** Stands at the end of the panel's head, or above the content of the fold when the summary does not say the same. */
  aside?: ReactNode;
  className?: string;
}

/**
 * A panel that is folded on a phone, because a person reads it second. What a screen is like when the part arrives decides:
 * a phone that is turned must not lose what was typed.
 */
export function NarrowFold({ id, title, summary, opened, aside, className, children }: NarrowProps) {
  const [narrow] = useState(isNarrow);
  if (!narrow)
    return (
      <Panel title={title} aside={aside} {...(className && { className })}>
        {children}
      </Panel>
    );
  return (
    <section aria-label={title} className="min-w-0">
      <Fold id={id} title={title} summary={summary} opened={opened}>
        {aside && aside !== summary && (
          <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5 text-small text-fg-3">
            {aside}
          </div>
        )}
        {children}
      </Fold>
    </section>
  );
}

/** Whether the page is as narrow as that of a phone. */
export const isNarrow = (): boolean => window.matchMedia?.("(max-width: 639px)").matches ?? false;
