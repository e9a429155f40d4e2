import { useMutation } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import type { Check, Node } from "~/api/types";
import { Button } from "~/ui/button";
import { Fold } from "~/ui/fold";
import { HardeningSummary, HardeningTable } from "~/ui/hardening";
import { MissingRight } from "~/ui/missing-right";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { Status, type Tone } from "~/ui/status";
import { duration } from "~/ui/time";
import { nodes } from "../queries";

const LEVELS: Record<Check["level"], { tone: Tone; word: string }> = {
  ok: { tone: "done", word: "Passed" },
  warn: { tone: "warning", word: "Warning" },
  fail: { tone: "failed", word: "Failed" },
};

/** Runs a real sandbox on the machine and tries to get out of it. */
export function Verify({ node }: { node: Node }) {
  const verify = useMutation({ mutationFn: () => nodes.verify(node.id) });
  const may = useMay();
  const report = verify.data;
  const away = node.connection !== "connected";
  const run = may("nodes.manage") && (
    <Button
      look={report ? "plain" : "primary"}
      busy={verify.isPending}
      disabled={away}
      onClick={() => verify.mutate()}
    >
      {report ? "Run again" : "Run"}
    </Button>
  );
  return (
    <Panel
      title="Sandbox check"
      aside={
        report && (
          <>
            Took {duration(report.duration_ms)} {run}
          </>
        )
      }
    >
      {!report && (
        <div className="flex flex-wrap items-center gap-4 px-4 py-4">
          <ShieldCheck size={28} strokeWidth={1.5} aria-hidden className="text-fg-3 max-sm:hidden" />
          <p className="min-w-0 flex-1 basis-72 text-fg-2">
            The check starts a temporary sandbox on this machine and runs a program in it that tries to
            escape. It compares the result with the required hardening.
            {away && " The machine must be connected."}
          </p>
          {run}
        </div>
      )}
      {!may("nodes.manage") && (
        <div className="border-t border-line px-4 py-3">
          <MissingRight what="check, drain or remove machines" least="admin" />
        </div>
      )}
      {verify.isError && <ProblemNote problem={asProblem(verify.error)} className="m-4" />}
      {report && (
        <>
          <p role="status" className="px-4 pt-3">
            <Status
              tone={report.ok ? "done" : "failed"}
              word={report.ok ? "This machine passed the check" : "This machine failed the check"}
            />
          </p>
          <ul className="grid gap-x-8 px-4 py-2 md:grid-cols-2">
            {report.checks.map((check) => {
              const { tone, word } = LEVELS[check.level];
              return (
                <li key={check.name} className="flex items-start justify-between gap-3 py-1">
                  <span className="min-w-0">
                    {check.title || check.name}
                    {check.detail && <span className="block text-small text-fg-3">{check.detail}</span>}
                  </span>
                  <Status tone={tone} word={word} />
                </li>
              );
            })}
          </ul>
          {report.probe.length > 0 && (
            <div className="px-4 pb-4">
              <Fold id="probe" title="Escape probe" summary={<HardeningSummary facts={report.probe} />}>
                <HardeningTable facts={report.probe} caption="What the escape probe found" />
              </Fold>
            </div>
          )}
        </>
      )}
    </Panel>
  );
}
