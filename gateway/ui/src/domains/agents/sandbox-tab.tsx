import { useQuery } from "@tanstack/react-query";
import { useMay } from "~/api/may";
import { configQuery } from "~/api/runtime";
import type { Claw, Sandbox } from "~/api/types";
import { Empty } from "~/ui/empty";
import { HardeningTable } from "~/ui/hardening";
import { MissingRight } from "~/ui/missing-right";
import { Loading } from "~/ui/skeleton";
import { Console } from "./console/console";
import { SandboxPlace } from "./sandbox-place";
import { Saved } from "./saved";
import { TeamSandbox, TeamSandboxNote } from "./team-sandbox";
import { useProvisioning } from "./use-provision";
import { sandboxStates, stateOf } from "./words";

interface Props {
  claw: Claw;
  sandbox: Sandbox | undefined;
}

/** The agent's container: made here, used here, and measured here. */
export function SandboxTab({ claw, sandbox }: Props) {
  const making = useProvisioning(claw.id);
  const config = useQuery(configQuery(claw.id));
  const may = useMay();
  const team = config.data?.workbench_agent_id;
  const none = !sandbox || sandbox.state === "lost";
  return (
    <div className="flex flex-col gap-4">
      {none && config.isPending && (
        <Loading what="the sandbox" rows={3} className="rounded-panel border border-line bg-surface" />
      )}
      {!sandbox && team && <TeamSandbox owner={team} />}
      {sandbox && team && <TeamSandboxNote owner={team} />}
      {none && !config.isPending && !team && <SandboxPlace id={claw.id} lost={sandbox} making={making} />}
      {sandbox && (
        <>
          {sandbox.state !== "lost" && <Saved sandbox={sandbox} />}
          <Console agent={claw.id} blocked={blocked(sandbox, may("sandboxes.use"))} />
          <section aria-label="Hardening report" className="rounded-panel border border-line bg-surface">
            {sandbox.hardening.length === 0 ? (
              <Empty title={sandbox.hardening_missing ? "No report" : "No report yet"}>
                {sandbox.hardening_missing
                  ? `Roost compared each field of the container with the request, but ${sandbox.hardening_missing}.`
                  : "Roost makes the report when the sandbox starts. It compares each field of the container with the request."}
              </Empty>
            ) : (
              <HardeningTable facts={sandbox.hardening} caption="Hardening of the sandbox of this agent" />
            )}
          </section>
        </>
      )}
    </div>
  );
}

/** Why nothing can be run, where nothing can. */
function blocked({ state }: Sandbox, mayUse: boolean) {
  if (!mayUse) return <MissingRight what="run commands" least="member" />;
  if (state === "running") return undefined;
  const { word } = stateOf(sandboxStates, state);
  return (
    <p className="text-fg-2">{`The sandbox is not running (${word.toLowerCase()}), so commands cannot run.`}</p>
  );
}
