import type { ReactNode } from "react";

/** The calm page around signing in: one column, one thing to do. */
export function IdentityFrame({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main className="flex min-h-dvh items-start justify-center px-4 py-[12vh]">
      <div className="w-full max-w-[380px]">
        <svg viewBox="0 0 32 32" width="40" height="40" aria-hidden className="mb-5 -ml-1 text-accent">
          <path
            d="M4 22h24M9 22v5M23 22v5M10 16a6 6 0 0 1 12 0"
            fill="none"
            stroke="currentColor"
            strokeWidth="2.4"
            strokeLinecap="round"
          />
          <circle cx="16" cy="6.5" r="2.1" fill="currentColor" />
        </svg>
        <h1 className="text-head-1">{title}</h1>
        {lead && <div className="mt-1 text-fg-2">{lead}</div>}
        <div className="mt-6">{children}</div>
      </div>
    </main>
  );
}
