import { Link, useLocation } from "@tanstack/react-router";
import { useLayoutEffect, useRef, type ReactNode } from "react";
import { PageFrame } from "~/ui/page";
import { cx } from "~/ui/class";
import { showIn } from "~/ui/show-in";

/** The pages of the settings that the signed-in person may see. */
export interface Part {
  to:
    | "/settings"
    | "/settings/models"
    | "/settings/sign-in"
    | "/settings/connections"
    | "/settings/mesh"
    | "/settings/broker";
  label: string;
}

interface Props {
  parts: Part[];
  /** The page's own name; the first page is the settings themselves. */
  title?: string;
  lead?: string;
  /** Its panels stand side by side. */
  wide?: boolean;
  children: ReactNode;
}

/** One page of the settings: its name, the way to the others, and what it is about. */
export function SettingsFrame({ parts, title, lead, wide, children }: Props) {
  const here = useLocation({ select: ({ pathname }) => pathname });
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => showIn(list.current, "[aria-current=page]"), [here, parts.length]);
  const crumbs = title
    ? [{ label: "Settings", to: "/settings" as const }, { label: title }]
    : [{ label: "Settings" }];
  return (
    <PageFrame wide crumbs={crumbs}>
      <h1 className="text-head-1">{title ?? "Settings"}</h1>
      <nav aria-label="Settings" className="border-b border-line">
        <ul ref={list} className="-mb-px flex gap-x-1 overflow-x-auto">
          {parts.map(({ to, label }) => (
            <li key={to}>
              <Link
                to={to}
                aria-current={to === here ? "page" : undefined}
                className={cx(
                  "inline-flex h-9 items-center border-b-2 px-3 whitespace-nowrap hover:text-fg focus-visible:-outline-offset-2 pointer-coarse:h-11",
                  to === here ? "border-accent text-fg" : "border-transparent text-fg-2",
                )}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {lead && <p className="max-w-[72ch] text-fg-2">{lead}</p>}
      {/* On a wide screen two panels stand side by side; what is said about the page stays above them. */}
      <div
        className={cx(
          "flex flex-col gap-4",
          !wide &&
            "max-w-4xl 2xl:grid 2xl:max-w-none 2xl:grid-cols-2 2xl:items-start 2xl:[&>:not(section)]:col-span-full",
        )}
      >
        {children}
      </div>
    </PageFrame>
  );
}
