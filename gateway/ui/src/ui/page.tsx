import { Link } from "@tanstack/react-router";
import { ChevronRight, Menu } from "lucide-react";
import { createContext, use, useEffect, type ReactNode } from "react";
import { create } from "zustand";
import { useWhole } from "~/live/whole";
import { IconButton } from "./button";
import { cx } from "./class";

/** Whether the rail is pulled out as a drawer on a narrow screen. */
export const useDrawer = create<{ open: boolean }>(() => ({ open: false }));

/** How many requests wait for a decision: counted elsewhere, shown in every title and beside the page's name. */
export const useWaiting = create<{ doors: number }>(() => ({ doors: 0 }));

/** The same number, where a place or a button leads there. */
export function WaitingBadge({ className }: { className: string }) {
  const { doors } = useWaiting();
  if (doors === 0) return null;
  return (
    <span
      className={cx(
        "min-w-4 rounded-full bg-accent px-1 text-center text-micro leading-4 text-on-accent",
        className,
      )}
    >
      {doors > 99 ? "99+" : doors}
      <span className="sr-only"> waiting</span>
    </span>
  );
}

export interface Crumb {
  label: string;
  to?:
    | "/fleet"
    | "/agents"
    | "/approvals"
    | "/repos"
    | "/connections"
    | "/operator"
    | "/settings"
    | "/missions"
    | "/routines"
    | "/runs"
    | "/teams"
    | "/skills"
    | "/templates"
    | undefined;
}

/** What the shell adds to the top bar of every page. */
export interface FrameParts {
  /** The workspace, before the page's own crumbs. */
  workspace?: ReactNode;
  /** The way to what stands beside the crumb of that number. */
  beside?: (crumb: number) => ReactNode;
  /** At the right end. */
  tools?: ReactNode;
  /** Between the top bar and the page: the way to the pages beside this one. */
  tabs?: ReactNode;
}
export const FrameContext = createContext<FrameParts>({});

interface Props {
  /** From the outermost place to this one; the last is the page itself. */
  crumbs: Crumb[];
  actions?: ReactNode;
  /** Uses what a wide screen has. */
  wide?: boolean;
  /** The first page of the workspace: beside the workspace's name its own crumb would say the same twice. */
  first?: boolean;
  children: ReactNode;
}

function Crumbs({ crumbs, first, frame }: Pick<Props, "crumbs" | "first"> & { frame: FrameParts }) {
  const between = <ChevronRight size={14} aria-hidden className="shrink-0 text-fg-3" />;
  return (
    <nav aria-label="Breadcrumbs" className="min-w-0 flex-1 basis-44">
      <ol className="flex min-w-0 items-center gap-1">
        {frame.workspace && (
          <li
            data-crumb
            aria-current={first ? "page" : undefined}
            className="flex max-w-48 shrink-0 items-center gap-1 max-rail:hidden aria-[current]:font-[550] aria-[current]:[&_bdi]:text-fg"
          >
            {frame.workspace}
          </li>
        )}
        {crumbs.map((crumb, index) => (
          <li
            key={`${index}-${crumb.label}`}
            data-crumb
            className={cx(
              "flex items-center gap-1",
              crumb.to ? "shrink-0" : "min-w-0 flex-initial",
              first && frame.workspace !== undefined && "rail:hidden",
            )}
          >
            {index > 0 ? between : frame.workspace && <span className="max-rail:hidden">{between}</span>}
            {crumb.to ? (
              <Link to={crumb.to} className="rounded-control text-fg-2 hover:text-fg">
                {crumb.label}
              </Link>
            ) : (
              <bdi aria-current="page" className="truncate font-[550]" title={crumb.label.slice(0, 200)}>
                {crumb.label}
              </bdi>
            )}
            {frame.beside?.(index)}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** One page: top bar with the way here and the page's actions, then its content. */
export function PageFrame({ crumbs, actions, wide, first = false, children }: Props) {
  const frame = use(FrameContext);
  const whole = useWhole();
  // A name may be very long, and a title is one line of a browser.
  const names = crumbs.map((crumb) => crumb.label.slice(0, 100));
  const doors = useWaiting((state) => state.doors);
  const count = doors > 0 ? `(${doors}) ` : "";
  const title = count + names.toReversed().concat("Roost").join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className="flex min-h-dvh min-w-0 flex-1 flex-col">
      <header className="sticky top-0 z-20 flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-canvas px-4 py-1.5">
        <IconButton
          label="Open navigation"
          className="relative -ml-1.5 rail:hidden"
          counted={<WaitingBadge className="absolute -top-1 -right-1" />}
          onClick={() => useDrawer.setState({ open: true })}
        >
          <Menu size={16} aria-hidden />
        </IconButton>
        <Crumbs crumbs={crumbs} first={first} frame={frame} />
        {actions && (
          <div
            data-page-actions
            className="flex flex-wrap items-center gap-2 max-sm:order-last max-sm:basis-full"
          >
            {actions}
          </div>
        )}
        {frame.tools}
      </header>
      {/* On a phone, the page's actions come with its answers and have a line of their own above this. */}
      <div className={cx(!whole && "max-sm:opacity-0")}>{frame.tabs}</div>
      <main
        id="main"
        tabIndex={-1}
        className={cx(
          "flex w-full min-w-0 flex-1 flex-col gap-4 p-4 outline-none lg:p-6",
          wide ? "max-w-[1680px]" : "max-w-[1280px]",
          !whole && "opacity-0",
        )}
      >
        {children}
      </main>
    </div>
  );
}
