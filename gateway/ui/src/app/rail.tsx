import { Link, useLocation } from "@tanstack/react-router";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import type { Me } from "~/api/types";
import { IconButton } from "~/ui/button";
import { cx } from "~/ui/class";
import { useDrawer, WaitingBadge } from "~/ui/page";
import { prefer, usePreferences } from "~/ui/preferences";
import { LiveDot } from "./live-dot";
import { allowed, GROUPS, placeOf, type Place } from "./places";
import { ThemeSwitch } from "./theme-switch";
import { WorkspaceSwitch } from "./workspace-switch";

function RailLink({ place, folded }: { place: Place; folded: boolean }) {
  const here = useLocation({ select: ({ pathname }) => placeOf(pathname)?.to === place.to });
  const Icon = place.icon;
  return (
    <li>
      <Link
        to={place.to}
        onClick={() => useDrawer.setState({ open: false })}
        title={folded ? place.label : undefined}
        className={cx(
          "relative flex h-8 items-center gap-2.5 rounded-control px-2.5 transition-colors duration-80 hover:bg-line/50 hover:text-fg pointer-coarse:h-11",
          here ? "bg-line/70 font-[550] text-fg" : "text-fg-2",
        )}
        aria-current={here ? "page" : undefined}
      >
        <Icon size={16} aria-hidden className="shrink-0" />
        <span className={folded ? "sr-only" : undefined}>{place.label}</span>
        {place.to === "/approvals" && (
          <WaitingBadge className={folded ? "absolute -top-0.5 right-0" : "ml-auto"} />
        )}
      </Link>
    </li>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden className="shrink-0 text-accent">
      <path
        d="M4 22h24M9 22v5M23 22v5M10 16a6 6 0 0 1 12 0"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="16" cy="6.5" r="2.2" fill="currentColor" />
    </svg>
  );
}

interface Props {
  me: Me;
  /** Pulled out over the page: never folded. */
  drawer?: boolean;
  className?: string;
}

/** Left rail: where one can go, how fresh the page is, who is signed in. */
export function Rail({ me, drawer = false, className }: Props) {
  const folded = usePreferences((all) => all.railFolded) && !drawer;
  const Fold = folded ? PanelLeftOpen : PanelLeftClose;
  return (
    <div
      className={cx(
        "z-30 flex flex-col gap-3 border-r border-line bg-sunken py-3",
        folded ? "w-13 px-1.5" : drawer ? "w-64 px-3" : "w-52 px-3",
        className,
      )}
    >
      <div className={cx("flex items-center gap-2.5 px-1.5 pt-1", folded && "flex-col")}>
        <Mark />
        <div className={cx("flex-1 text-head-3", folded && "sr-only")}>Roost</div>
        {!drawer && (
          <IconButton
            label={folded ? "Unfold the navigation" : "Fold the navigation"}
            onClick={() => prefer({ railFolded: !folded })}
          >
            <Fold size={15} aria-hidden />
          </IconButton>
        )}
      </div>
      {!folded && <WorkspaceSwitch me={me} pushes={drawer} />}
      {/* Only the list scrolls: what the switch above opens is wider than the rail. */}
      <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-0.5">
        {GROUPS.map(({ label, places }) => {
          const shown = allowed(places, me);
          if (shown.length === 0) return null;
          return (
            <div key={label} className={folded ? "border-t border-line pt-3 first:border-0 first:pt-0" : ""}>
              <p
                id={`${drawer ? "drawer" : "rail"}-${label}`}
                className={folded ? "sr-only" : "px-2.5 pb-1 text-micro text-fg-3"}
              >
                {label}
              </p>
              <ul aria-labelledby={`${drawer ? "drawer" : "rail"}-${label}`} className="flex flex-col gap-px">
                {shown.map((place) => (
                  <RailLink key={place.to} place={place} folded={folded} />
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <div
        className={cx(
          "flex items-center justify-between gap-2 border-t border-line px-1.5 pt-3",
          folded && "flex-col",
        )}
      >
        <LiveDot compact={folded} />
        <ThemeSwitch />
      </div>
    </div>
  );
}
