import { Problem } from "~/api/problem";
import { ProblemNote } from "~/ui/problem";

/** Why a secret was not taken, where no field is to blame. It is gone from its field then, unless nothing was sent. */
export function PasteProblem({ problem }: { problem: Problem }) {
  const again = problem.status > 0 && (
    <p className="mt-1 text-fg-2">Nothing was connected. The secret was cleared here; paste it again.</p>
  );
  if (problem.status < 500) return <ProblemNote problem={problem}>{again}</ProblemNote>;
  const { code, status, requestId } = problem;
  const shown = new Problem({
    code,
    status,
    requestId,
    title: "The secret broker did not accept it",
    detail:
      "Try again in a minute. If it fails again, give the operator of this gateway the request id. The gateway's log has the cause under this id.",
  });
  return <ProblemNote problem={shown}>{again}</ProblemNote>;
}
