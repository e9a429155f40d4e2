import { useMay } from "~/api/may";
import type { Claw, Sandbox } from "~/api/types";
import { Empty } from "~/ui/empty";
import { HardeningTable } from "~/ui/hardening";
import { Console } from "./console/console";
import { SandboxPlace } from "./sandbox-place";
import { useProvisioning } from "./use-provision";

/** The agent's container: made here, used here, and measured here. */
export function SandboxTab({ claw, sandbox }: { claw: Claw; sandbox: Sandbox | undefined }) {
  const making = useProvisioning(claw.id);
  const may = useMay();
  return (
    <div className="flex flex-col gap-4">
      {(!sandbox || sandbox.state === "lost") && <SandboxPlace id={claw.id} lost={sandbox} making={making} />}
      {sandbox && (
        <>
          <Console agent={claw.id} usable={sandbox.state === "running" && may("sandboxes.use")} />
          <section aria-label="Hardening report" className="rounded-panel border border-line bg-surface">
            {sandbox.hardening.length === 0 ? (
              <Empty title="No report yet">
                The report is made when the sandbox starts, by comparing each field of the container with what
                was asked for.
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
