import { Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class";

/** A quiet message that belongs to the page rather than to one request. */
export function Notice({
  tone = "info",
  children,
  action,
  className,
}: {
  tone?: "info" | "warning";
  children: ReactNode;
  action?: ReactNode;
  className?: string;
}) {
  const Icon = tone === "info" ? Info : TriangleAlert;
  return (
    <div
      role="note"
      className={cx(
        "flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control border px-3 py-2",
        tone === "info" ? "border-info/40 bg-info/8" : "border-waiting/50 bg-waiting/8",
        className,
      )}
    >
      <Icon
        size={16}
        aria-hidden
        className={cx("shrink-0", tone === "info" ? "text-info" : "text-waiting")}
      />
      <div className="min-w-0 flex-1 basis-60">{children}</div>
      {action}
    </div>
  );
}
