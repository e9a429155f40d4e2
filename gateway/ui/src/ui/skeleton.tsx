import { cx } from "./class";

/** A grey block of the size of what will come; invisible for the first 150 ms. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx("skeleton block h-3", className)} />;
}

export function Loading({ what, rows = 3, className }: { what: string; rows?: number; className?: string }) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-(--row) items-center gap-6 border-b border-line px-4 last:border-0">
          <Skeleton className="w-40" />
          <Skeleton className="w-20" />
          <Skeleton className="hidden flex-1 md:block" />
        </div>
      ))}
    </div>
  );
}
