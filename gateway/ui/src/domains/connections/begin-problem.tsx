import { useQuery } from "@tanstack/react-query";
import { appOptionsQuery } from "~/api/apps";
import { asProblem, Problem } from "~/api/problem";
import { ProblemNote } from "~/ui/problem";

/** Names of settings, for the operator of this gateway. */
export function Settings({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <p className="mt-1 text-fg-2">
      Missing in the gateway's configuration:{" "}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <code className="font-mono text-small text-fg">{name}</code>
        </span>
      ))}
      . The operator of this gateway can set it.
    </p>
  );
}

const said = (problem: Problem, title: string, detail: string) =>
  new Problem({ code: problem.code, status: problem.status, title, detail, requestId: problem.requestId });

/** Why a sign-in could not begin, in words that say what to do. */
export function BeginProblem({
  error,
  mcp,
  className,
}: {
  error: unknown;
  mcp: boolean;
  className?: string;
}) {
  const options = useQuery(appOptionsQuery);
  const problem = asProblem(error);
  const around = className === undefined ? {} : { className };
  if (problem.status === 409) {
    const shown = said(problem, "Apps cannot be connected on this gateway yet", problem.detail);
    return (
      <ProblemNote problem={shown} {...around}>
        <Settings names={options.data?.missing ?? []} />
      </ProblemNote>
    );
  }
  if (problem.status >= 500) {
    const shown = said(
      problem,
      "The sign-in service could not be used",
      mcp
        ? "It did not answer, or its answer does not describe a sign-in. Check the address and that this gateway can reach it. Then try again. Nothing was connected."
        : "The service or this gateway's secret broker failed. Try again in a minute. If it fails again, give the operator of this gateway the request id. The gateway's log has the cause under this id. Nothing was connected.",
    );
    return <ProblemNote problem={shown} {...around} />;
  }
  return <ProblemNote problem={problem} {...around} />;
}
