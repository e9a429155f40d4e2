// One section of the first page. Each fails by itself.
import { useState, type ReactNode } from "react";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { CopyText } from "~/ui/copy";
import { Fold, isNarrow } from "~/ui/fold";
import { Status } from "~/ui/status";

export interface Asked {
  isError: boolean;
  isPending: boolean;
  isFetching: boolean;
  data: unknown;
  error: unknown;
  refetch: () => unknown;
}

/** A part that could not be loaded, in a line: the others stand around it. */
export function Unloaded({ what, query }: { what: string; query: Asked }) {
  if (!query.isError) return null;
  const { title, requestId } = asProblem(query.error);
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5 last:border-0"
    >
      <Status tone="failed" word="Not loaded" compact />
      <p className="min-w-0 flex-1 basis-56">
        <span className="font-[550]">
          {query.data === undefined ? `${what} could not be loaded.` : `${what} could not be renewed.`}
        </span>{" "}
        <span className="text-fg-2">{title}.</span>
        {requestId && (
          <span className="ml-2 text-small text-fg-3">
            Request <CopyText text={requestId} what="request id" />
          </span>
        )}
      </p>
      <Button busy={query.isFetching} onClick={() => void query.refetch()}>
        Try again
      </Button>
    </div>
  );
}

interface Props {
  title: string;
  count?: number | undefined;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

export function Section({ title, count, aside, children, className }: Props) {
  return (
    <section aria-label={title} className={cx("flex min-w-0 flex-col gap-2", className)}>
      <header className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-head-3">{title}</h2>
        {count !== undefined && count > 0 && <span className="text-fg-3 tabular-nums">{count}</span>}
        {aside && <div className="ml-auto flex items-center gap-2 text-small text-fg-2">{aside}</div>}
      </header>
      <div className="min-w-0 overflow-clip rounded-panel border border-line bg-surface">{children}</div>
    </section>
  );
}

/** A section that is folded on a phone. */
export function SecondSection({ id, summary, ...section }: Props & { id: string; summary: string }) {
  const [narrow] = useState(isNarrow);
  if (!narrow) return <Section {...section} />;
  return (
    <section aria-label={section.title} className={cx("min-w-0", section.className)}>
      <Fold id={id} title={section.title} summary={summary}>
        {section.aside && (
          <div className="flex items-center gap-2 border-b border-line px-4 py-1.5 text-small text-fg-2">
            {section.aside}
          </div>
        )}
        {section.children}
      </Fold>
    </section>
  );
}

/** A section that has nothing to show says so in one line. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <p className="px-4 py-3 text-fg-2">{children}</p>
);

/** The look of a row whose link covers all of it. */
export const row =
  "group relative border-b border-line px-4 py-2.5 last:border-0 hover:bg-line/25 focus-within:bg-line/25";
export const rowLink =
  "rounded-control font-[550] outline-none after:absolute after:inset-0 group-hover:text-accent focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent";
