import { Link } from "@tanstack/react-router";
import { ChevronRight, Menu } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { create } from "zustand";
import { IconButton } from "./button";

/** Whether the rail is pulled out as a drawer on a narrow screen. */
export const useDrawer = create<{ open: boolean }>(() => ({ open: false }));

export interface Crumb {
  label: string;
  to?: "/fleet" | "/agents" | "/operator" | undefined;
}

interface Props {
  /** From the outermost place to this one; the last is the page itself. */
  crumbs: Crumb[];
  actions?: ReactNode;
  children: ReactNode;
}

/** One page: top bar with the way here and the page's actions, then its content. */
export function PageFrame({ crumbs, actions, children }: Props) {
  const names = crumbs.map((crumb) => crumb.label);
  const title = names.toReversed().concat("Roost").join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className="flex min-h-dvh min-w-0 flex-1 flex-col">
      <header className="sticky top-0 z-20 flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-canvas px-4 py-1.5">
        <IconButton
          label="Open navigation"
          className="-ml-1.5 lg:hidden"
          onClick={() => useDrawer.setState({ open: true })}
        >
          <Menu size={16} aria-hidden />
        </IconButton>
        <nav aria-label="Breadcrumbs" className="min-w-0 flex-1">
          <ol className="flex min-w-0 items-center gap-1">
            {crumbs.map((crumb, index) => (
              <li key={crumb.label} className="flex min-w-0 items-center gap-1">
                {index > 0 && <ChevronRight size={14} aria-hidden className="shrink-0 text-fg-3" />}
                {crumb.to ? (
                  <Link to={crumb.to} className="rounded-control text-fg-2 hover:text-fg">
                    {crumb.label}
                  </Link>
                ) : (
                  <span aria-current="page" className="truncate font-[550]">
                    {crumb.label}
                  </span>
                )}
              </li>
            ))}
          </ol>
        </nav>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <main id="main" className="mx-auto flex w-full max-w-[1280px] min-w-0 flex-1 flex-col gap-4 p-4 lg:p-6">
        {children}
      </main>
    </div>
  );
}
