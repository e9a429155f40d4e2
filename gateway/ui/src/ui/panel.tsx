import type { ReactNode } from "react";
import { cx } from "./class";

interface Props {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A titled part of a page: a line around it, no shadow. */
export function Panel({ title, aside, children, className }: Props) {
  return (
    <section
      aria-label={title}
      className={cx("min-w-0 rounded-panel border border-line bg-surface", className)}
    >
      <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 className="text-head-3">{title}</h2>
        {aside && <div className="flex flex-wrap items-center gap-2 text-small text-fg-3">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Names and values beside each other. */
export function Facts({ items }: { items: [string, ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_1fr] gap-x-6 gap-y-2 px-4 py-3">
      {items.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-fg-3">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
