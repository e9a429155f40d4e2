import { Link, useLocation } from "@tanstack/react-router";
import { Bell, Search } from "lucide-react";
import type { Me } from "~/api/types";
import { IconButton } from "~/ui/button";
import { CrumbMenu, type Level } from "./crumb-menu";
import { open, useLayer } from "./layers";
import { MOD } from "./modifier";
import { INTEGRATIONS } from "./places";
import type { FrameParts } from "~/ui/page";

function Tools() {
  const unread = useLayer((state) => state.unread);
  return (
    <div className="flex shrink-0 items-center gap-1">
      <button
        type="button"
        aria-label={`Search ${MOD} K`}
        aria-keyshortcuts="Control+K Meta+K"
        title={`Search (${MOD} K)`}
        onClick={() => open("palette")}
        className="inline-flex h-7 items-center gap-2 rounded-control px-1.5 text-fg-2 hover:bg-line/60 hover:text-fg pointer-coarse:h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center"
      >
        <Search size={15} aria-hidden />
        <kbd
          aria-hidden
          className="rounded-control border border-line px-1 text-micro text-fg-3 max-rail:hidden"
        >
          {MOD} K
        </kbd>
      </button>
      <IconButton
        label={unread > 0 ? `Notifications, ${unread > 99 ? "99+" : unread} new` : "Notifications"}
        className="relative"
        onClick={() => open("notifications")}
      >
        <Bell size={15} aria-hidden />
        {unread > 0 && (
          <span
            aria-hidden
            className="absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-micro leading-4 text-on-accent"
          >
            {unread > 99 ? "99+" : unread}
          </span>
        )}
      </IconButton>
    </div>
  );
}

const LEVELS: Level[] = ["place", "thing"];

/** The way from one page of the integrations to the others. A single repository's page is below them and has none. */
function IntegrationTabs() {
  const here = useLocation({ select: ({ pathname }) => pathname });
  if (!INTEGRATIONS.some(({ to }) => to === here)) return null;
  return (
    <nav aria-label="Integrations" className="border-b border-line bg-canvas px-2 lg:px-4">
      <ul className="flex gap-x-1 overflow-x-auto">
        {INTEGRATIONS.map(({ to, label }) => (
          <li key={to}>
            <Link
              to={to}
              aria-current={to === here ? "page" : undefined}
              className="flex h-9 items-center border-b-2 border-transparent px-2 whitespace-nowrap text-fg-2 hover:text-fg focus-visible:-outline-offset-2 aria-[current]:border-accent aria-[current]:text-fg pointer-coarse:h-11"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What the shell gives to the top bar of every page. */
export function frameParts(me: Me): FrameParts {
  return {
    workspace: (
      <>
        <bdi className="truncate text-fg-2">{me.workspace.name}</bdi>
        <CrumbMenu me={me} level="workspace" />
      </>
    ),
    beside: (crumb) => {
      const level = LEVELS[crumb];
      return level && <CrumbMenu me={me} level={level} />;
    },
    tools: <Tools />,
    tabs: <IntegrationTabs />,
  };
}
