import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useRef, useState } from "react";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { MissingRight } from "~/ui/missing-right";
import { ProblemNote } from "~/ui/problem";
import { visible } from "~/ui/visible";
import type { Attempt } from "./start";

/** Starts the demonstration and opens its run. Its files and its requests are loaded when a person presses the button. */
function Run() {
  const [step, setStep] = useState("");
  const attempt = useRef<Attempt>(undefined);
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: async () => {
      setStep("Loading the demonstration.");
      const start = await import("./start");
      attempt.current ??= new start.Attempt();
      return attempt.current.start(setStep);
    },
    onSuccess: ({ id }) => navigate({ to: "/runs/$id", params: { id } }),
  });
  const problem = run.isError ? asProblem(run.error) : undefined;
  return (
    <>
      <Button
        busy={run.isPending}
        icon={<FlaskConical size={14} aria-hidden />}
        className="max-sm:w-full"
        onClick={() => run.mutate()}
      >
        Run the demonstration
      </Button>
      <div role="status" className="basis-full empty:hidden">
        {run.isPending && <p className="text-fg-2">{step}</p>}
      </div>
      {problem && (
        <ProblemNote problem={problem} className="basis-full">
          {problem.fields.map(({ pointer, detail }) => (
            <p key={pointer} className="text-fg-2">
              {visible(detail)}
            </p>
          ))}
        </ProblemNote>
      )}
    </>
  );
}

/** The demonstration, before anything has run in the workspace. */
export function OfferDemonstration() {
  const may = useMay();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3.5">
      <div className="min-w-0 flex-1 basis-52">
        <h3 className="text-head-3">See it work first</h3>
        <p className="text-fg-2">
          A small team mends a failing test of a Rust repository in a real sandbox. It needs no model: a
          script speaks for the agents.
        </p>
      </div>
      {may("teams.manage") && may("runs.start") ? (
        <Run />
      ) : (
        <MissingRight what="run the demonstration" least="member" />
      )}
    </div>
  );
}
