// The part of a mission's page for the mission's own sandbox, in which benchmarks and scanners run.
import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import type { MissionDetail } from "~/api/missions";
import { sandboxQuery, type Owner } from "~/api/sandboxes";
import type { Sandbox } from "~/api/types";
import type { FilesChoice } from "~/ui/files-choice";
import { Fold } from "~/ui/fold";
import { SandboxLine } from "~/ui/sandbox-line";
import { sandboxStates, stateOf } from "~/ui/sandbox-words";
import { Segments } from "~/ui/segments";
import { Status } from "~/ui/status";
import { FilesTab } from "./files/files";
import { SandboxParts } from "./sandbox";

const PART = "sandbox";

const PARTS = [
  ["console", "Console"],
  ["files", "Files"],
] as const;

function Parts({ owner, sandbox, why }: { owner: Owner; sandbox: Sandbox | undefined; why: string }) {
  const [part, setPart] = useState<"console" | "files">("console");
  const [choice, setChoice] = useState<FilesChoice>({});
  return (
    <div className="flex min-w-0 flex-col gap-4 p-4">
      {sandbox ? <SandboxLine sandbox={sandbox} /> : <p className="text-fg-2">{why}</p>}
      <span>
        <Segments label="Part of the sandbox" value={part} options={PARTS} onChange={setPart} />
      </span>
      {part === "console" ? (
        <SandboxParts owner={owner} sandbox={sandbox} makes={false} />
      ) : (
        <FilesTab
          owner={owner}
          sandbox={sandbox}
          choice={choice}
          onChoose={(change) => setChoice({ ...choice, ...change })}
        />
      )}
    </div>
  );
}

interface Props {
  mission: Pick<MissionDetail, "id" | "phases">;
  /** Whether the mission can still get a sandbox. */
  lives: boolean;
}

/** Why there is no sandbox. */
function whyNone({ mission: { phases }, lives }: Props): string {
  if (!lives) return "It ended with the mission.";
  return phases.some(({ kind }) => kind === "benchmark" || kind === "security_scan")
    ? "None yet. Roost creates it when a benchmark or a security scan begins."
    : "None. Only a benchmark and a security scan need one, and this mission has neither.";
}

/** The sandbox of a mission, folded: its console and its files are on their way only after it was opened. */
export function MissionSandbox(props: Props) {
  const { mission, lives } = props;
  const owner: Owner = { kind: "mission", id: mission.id };
  const query = useQuery({ ...sandboxQuery(owner), enabled: lives });
  const sandbox = query.data ?? undefined;
  // The address names the part that was opened last. This one stays when a part in it is opened.
  const named = useRouterState({ select: ({ location }) => location.hash === PART });
  const [opened, setOpened] = useState(named);
  if (named && !opened) setOpened(true);
  const why = whyNone(props);
  const summary =
    lives && !query.data && query.isPending ? (
      "…"
    ) : query.isError && !query.data ? (
      <span className="text-failed">Its state is not known: the gateway did not answer.</span>
    ) : sandbox ? (
      <Status {...stateOf(sandboxStates, sandbox.state)} />
    ) : (
      why
    );
  return (
    <Fold id={PART} title="The mission's own sandbox" summary={summary}>
      {opened && <Parts owner={owner} sandbox={sandbox} why={why} />}
    </Fold>
  );
}
