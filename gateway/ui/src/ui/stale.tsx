import { asProblem } from "~/api/problem";
import { Button } from "./button";
import { CopyText } from "./copy";
import { Notice } from "./notice";
import { Ago } from "./time";

interface Asked {
  isError: boolean;
  error: unknown;
  data: unknown;
  dataUpdatedAt: number;
  refetch: () => unknown;
}

/** What is on screen is old, because asking again failed: says how old, why, and lets it be tried again. */
export function Stale({ query, className }: { query: Asked; className?: string }) {
  if (!query.isError || query.data === undefined) return null;
  const problem = asProblem(query.error);
  return (
    <Notice
      tone="warning"
      {...(className !== undefined && { className })}
      action={<Button onClick={() => void query.refetch()}>Try again</Button>}
    >
      <span role="status">
        {problem.title}. What you see is from <Ago at={new Date(query.dataUpdatedAt).toISOString()} />.
      </span>
      {problem.requestId && (
        <span className="ml-2 text-small text-fg-3">
          Request <CopyText text={problem.requestId} what="request id" />
        </span>
      )}
    </Notice>
  );
}
