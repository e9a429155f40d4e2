import { OctagonAlert } from "lucide-react";
import type { ReactNode } from "react";
import { asProblem, type Problem } from "~/api/problem";
import { Button } from "./button";
import { cx } from "./class";
import { CopyText } from "./copy";

const FORBIDDEN =
  "Your role in this workspace does not include this right. An Owner or Admin of the workspace can give it to you.";

/** What went wrong, inside the panel it concerns. */
export function ProblemNote({
  problem,
  className,
  children,
}: {
  problem: Problem;
  className?: string;
  children?: ReactNode;
}) {
  const text = problem.status === 403 && !problem.detail ? FORBIDDEN : problem.detail;
  return (
    <div
      role="alert"
      className={cx("flex gap-2.5 rounded-control border border-failed/50 bg-failed/8 px-3 py-2", className)}
    >
      <OctagonAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-failed" />
      <div className="min-w-0 flex-1">
        <p className="font-[550]">{problem.title}</p>
        {text && text !== problem.title && <p className="text-fg-2">{text}</p>}
        {problem.retryAfter !== undefined && (
          <p className="text-fg-2">Try again in {problem.retryAfter} s.</p>
        )}
        {problem.requestId && (
          <p className="mt-1 text-small text-fg-3">
            Request <CopyText text={problem.requestId} what="request id" />
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

/** A failed panel with a way to try again; what is not there is not asked for again. */
export function Failed({
  error,
  retry,
  gone,
  className,
}: {
  error: unknown;
  retry?: (() => void) | undefined;
  /** The way back from what is not there. */
  gone?: ReactNode;
  className?: string;
}) {
  const problem = asProblem(error);
  return (
    <ProblemNote problem={problem} className={className ?? "m-4"}>
      {problem.status === 404 && gone}
      {retry && problem.status !== 404 && (
        <Button className="mt-2" onClick={retry}>
          Try again
        </Button>
      )}
    </ProblemNote>
  );
}
