import { Link, useLocation } from "@tanstack/react-router";
import { Bot, Gauge, Network, Server, UserRound, UsersRound, type LucideIcon } from "lucide-react";
import type { Me } from "~/api/types";
import { cx } from "~/ui/class";
import { useDrawer } from "~/ui/page";
import { LiveDot } from "./live-dot";
import { ThemeSwitch } from "./theme-switch";
import { WorkspaceSwitch } from "./workspace-switch";

type Place = "/fleet" | "/agents" | "/members" | "/quotas" | "/operator" | "/account";

interface RailLinkProps {
  to: Place;
  /** Where the pages of single things of this place are, when that is not below it. */
  also?: string;
  icon: LucideIcon;
  children: string;
}

const HERE = "bg-line/70 text-fg font-[550]";

function RailLink({ to, also, icon: Icon, children }: RailLinkProps) {
  const below = useLocation({ select: ({ pathname }) => also !== undefined && pathname.startsWith(also) });
  return (
    <li>
      <Link
        to={to}
        onClick={() => useDrawer.setState({ open: false })}
        className={cx(
          "flex h-8 items-center gap-2.5 rounded-control px-2.5 transition-colors duration-80 hover:bg-line/50 hover:text-fg pointer-coarse:h-11",
          below && HERE,
        )}
        activeProps={{ className: HERE }}
        inactiveProps={{ className: below ? "" : "text-fg-2" }}
        {...(below && { "aria-current": "page" })}
      >
        <Icon size={16} aria-hidden className="shrink-0" />
        {children}
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

/** Left rail: where one can go, how fresh the page is, who is signed in. */
export function Rail({ me, className }: { me: Me; className?: string }) {
  const seesTree = me.operator || me.permissions.includes("tree.read");
  return (
    <div className={cx("flex w-52 flex-col gap-4 border-r border-line bg-sunken p-3", className)}>
      <div className="flex items-center gap-2.5 px-1.5 pt-1">
        <Mark />
        <div className="text-head-3">Roost</div>
      </div>
      <WorkspaceSwitch me={me} />
      <nav aria-label="Main" className="flex flex-1 flex-col">
        <ul className="flex flex-col gap-0.5">
          <RailLink to="/fleet" icon={Server}>
            Fleet
          </RailLink>
          <RailLink to="/agents" also="/claws/" icon={Bot}>
            Agents
          </RailLink>
        </ul>
        <ul className="mt-4 flex flex-col gap-0.5 border-t border-line pt-4">
          <RailLink to="/members" icon={UsersRound}>
            Members
          </RailLink>
          <RailLink to="/quotas" icon={Gauge}>
            Quotas
          </RailLink>
          {seesTree && (
            <RailLink to="/operator" icon={Network}>
              Supervision
            </RailLink>
          )}
          <RailLink to="/account" icon={UserRound}>
            Account
          </RailLink>
        </ul>
      </nav>
      <div className="flex items-center justify-between gap-2 border-t border-line px-1.5 pt-3">
        <LiveDot />
        <ThemeSwitch />
      </div>
    </div>
  );
}
