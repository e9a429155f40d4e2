import type { ReactNode } from "react";

/** Says what would be here, why it is not, and one thing to do about it. */
export function Empty({
  title,
  children,
  action,
  icon,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      {icon && <div className="mb-4 text-fg-3">{icon}</div>}
      <h2 className="text-head-2">{title}</h2>
      {children && <div className="mt-1 max-w-[52ch] text-fg-2">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
