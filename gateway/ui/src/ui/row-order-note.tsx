import { Button } from "./button";

/** The line above a live table: whether its order is held, and what waits. */
export function RowOrderNote({
  held,
  waiting,
  release,
  count,
  what,
}: {
  held: boolean;
  waiting: number;
  release: () => void;
  count: number;
  what: string;
}) {
  return (
    <div className="flex h-7 items-center gap-3 text-small text-fg-3">
      <span>
        {count} {what}
      </span>
      {held && <span className="max-sm:hidden">order held</span>}
      {waiting > 0 && (
        <Button className="h-6" onClick={release}>
          {waiting} new
        </Button>
      )}
    </div>
  );
}
