import { useInfiniteQuery } from "@tanstack/react-query";
import { useMay } from "~/api/may";
import { useProvisioning, type Owner } from "~/api/sandboxes";
import type { Sandbox } from "~/api/types";
import { Empty } from "~/ui/empty";
import { Fold } from "~/ui/fold";
import { HardeningSummary, HardeningTable } from "~/ui/hardening";
import { MissingRight } from "~/ui/missing-right";
import { sandboxStates, stateOf } from "~/ui/sandbox-words";
import { Console } from "./console/console";
import { historyQuery } from "./console/history";
import { SandboxPlace } from "./sandbox-place";
import { Saved } from "./saved";

interface Props {
  owner: Owner;
  sandbox: Sandbox | undefined;
  /** Whether a sandbox can be made here when there is none. */
  makes: boolean;
}

const CAPTIONS: Record<Owner["kind"], string> = {
  claw: "Hardening of the sandbox of this agent",
  team: "Hardening of the sandbox of this team",
  mission: "Hardening of the sandbox of this mission",
};

/** The container of an agent or a team: made here, used here, and measured here. */
export function SandboxParts({ owner, sandbox, makes }: Props) {
  const making = useProvisioning(owner);
  const may = useMay();
  const none = !sandbox || sandbox.state === "lost";
  return (
    <>
      {none && makes && <SandboxPlace owner={owner} lost={sandbox} making={making} />}
      {!sandbox && <EarlierCommands owner={owner} />}
      {sandbox && (
        <>
          {sandbox.state !== "lost" && <Saved sandbox={sandbox} />}
          <Console
            owner={owner}
            mayUse={may("sandboxes.use")}
            blocked={blocked(sandbox, may("sandboxes.use"))}
          />
          <Fold
            id="hardening"
            title="Hardening report"
            summary={<HardeningSummary facts={sandbox.hardening} />}
          >
            {sandbox.hardening.length === 0 ? (
              <Empty title={sandbox.hardening_missing ? "No report" : "No report yet"}>
                {sandbox.hardening_missing
                  ? `Roost compared each field of the container with the request, but ${sandbox.hardening_missing}.`
                  : "Roost makes the report when the sandbox starts. It compares each field of the container with the request."}
              </Empty>
            ) : (
              <HardeningTable facts={sandbox.hardening} caption={CAPTIONS[owner.kind]} />
            )}
          </Fold>
        </>
      )}
    </>
  );
}

/** What ran before, where there is no sandbox any more. */
function EarlierCommands({ owner }: { owner: Owner }) {
  const history = useInfiniteQuery(historyQuery(owner, { q: "", failed: false }));
  if (!history.data?.pages[0]?.items.length) return null;
  const why = <p className="text-fg-2">There is no sandbox now, so commands cannot run.</p>;
  return <Console owner={owner} mayUse={false} blocked={why} />;
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
