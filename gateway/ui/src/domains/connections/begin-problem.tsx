import { useQuery } from "@tanstack/react-query";
import { appOptionsQuery } from "~/api/apps";
import { asProblem, Problem } from "~/api/problem";
import { ProblemNote } from "~/ui/problem";

/** Names of settings, for whoever runs this gateway. */
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
      . Whoever operates this gateway can set it.
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
        ? "It did not answer, or what it answered was no description of a sign-in. Check the address, and that this gateway can reach it; then try again. Nothing was connected."
        : "It, or this gateway's own store of secrets, did not do its part. Try again in a minute; if it goes on, give whoever operates this gateway the request's number, under which the cause stands in its log. Nothing was connected.",
    );
    return <ProblemNote problem={shown} {...around} />;
  }
  return <ProblemNote problem={problem} {...around} />;
}
