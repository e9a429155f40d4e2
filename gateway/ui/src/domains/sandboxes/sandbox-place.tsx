import { Box } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { useMay } from "~/api/may";
import type { Problem } from "~/api/problem";
import { useProvision, type Owner } from "~/api/sandboxes";
import type { Limits, Sandbox } from "~/api/types";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { Help } from "~/ui/help";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { ProblemNote } from "~/ui/problem";
import { ImageChoice } from "~/ui/sandbox-choice";
import { Status } from "~/ui/status";
import { span, useNow } from "~/ui/time";
import { SavedBefore } from "./saved";

const GIB = 1024 ** 3;

const WHAT: Record<Owner["kind"], string> = {
  claw: "The sandbox is this agent's own isolated container. Roost creates it on the machine chosen in Fleet and checks its hardening before the first use.",
  team: "The sandbox is one isolated container for all agents of this team. Roost creates it on the machine of the team and checks its hardening before the first use. If you create none, the first step of a run that needs it does.",
  mission: "No agent works in the sandbox of this mission. It ends with the mission.",
};

const NAMES: Record<Owner["kind"], string> = { claw: "agent", team: "team", mission: "mission" };

interface Making {
  since: number | undefined;
  problem: Problem | undefined;
}

function UnderWay({ since }: { since: number }) {
  return (
    <div
      role="status"
      className="flex items-center justify-between gap-3 rounded-panel border border-line bg-surface px-4 py-4"
    >
      <Status tone="moving" word="Creating the sandbox" className="pulse" />
      <span className="text-small text-fg-3">{span(useNow() - since)}</span>
    </div>
  );
}

/** That there is no sandbox, or no longer. */
function Gone({ owner, lost }: { owner: Owner; lost: Sandbox | undefined }) {
  if (lost)
    return (
      <Notice tone="warning">
        This sandbox is lost: its machine no longer has it. Its processes have ended.
      </Notice>
    );
  return (
    <div className="flex gap-4">
      <Box size={28} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-fg-3 max-sm:hidden" />
      <div>
        <div className="flex items-center gap-1">
          <h2 className="text-head-2">No sandbox yet</h2>
          <Help word="sandbox" />
        </div>
        <p className="max-w-[64ch] text-fg-2">{WHAT[owner.kind]}</p>
      </div>
    </div>
  );
}

interface Props {
  owner: Owner;
  lost: Sandbox | undefined;
  making: Making;
}

/** Where a sandbox would be: makes one, shows the making, explains a refusal. */
export function SandboxPlace({ owner, lost, making }: Props) {
  const may = useMay();
  if (making.since !== undefined) return <UnderWay since={making.since} />;
  return (
    <div className="flex flex-col gap-4 rounded-panel border border-line bg-surface p-5">
      <Gone owner={owner} lost={lost} />
      <SavedBefore owner={owner} />
      {may("sandboxes.use") ? (
        <Form owner={owner} again={lost !== undefined} problem={making.problem} />
      ) : (
        <MissingRight what="create sandboxes" least="member" />
      )}
    </div>
  );
}

function Form({ owner, again, problem }: { owner: Owner; again: boolean; problem: Problem | undefined }) {
  const { start } = useProvision();
  const [image, setImage] = useState<string | null>(null);
  const [memory, setMemory] = useState("");
  const [cpus, setCpus] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const limits: Limits = {
      ...(memory ? { memory_bytes: Math.round(Number(memory) * GIB) } : {}),
      ...(cpus ? { nano_cpus: Math.round(Number(cpus) * 1e9) } : {}),
    };
    start(owner, {
      ...(image ? { image } : {}),
      ...(Object.keys(limits).length > 0 ? { limits } : {}),
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col items-start gap-4">
      <details className="w-full">
        <summary className="w-fit rounded-control text-small text-fg-2 hover:text-fg">
          Image and limits
        </summary>
        <div className="mt-3 grid max-w-2xl gap-4 sm:grid-cols-3">
          <ImageChoice
            label="Image"
            value={image}
            inherited={`As the ${NAMES[owner.kind]} is set`}
            error={problem?.field("/image")}
            onChange={setImage}
          />
          <Field
            label="Memory, GiB"
            type="number"
            min="0.0625"
            step="any"
            placeholder="1"
            value={memory}
            onChange={(event) => setMemory(event.target.value)}
            error={problem?.field("/limits/memory_bytes")}
          />
          <Field
            label="Processors"
            type="number"
            min="0.1"
            step="any"
            placeholder="1"
            value={cpus}
            onChange={(event) => setCpus(event.target.value)}
            error={problem?.field("/limits/nano_cpus")}
          />
        </div>
      </details>
      {problem && <ProblemNote problem={problem} className="w-full" />}
      <Button type="submit" look="primary">
        {again ? "Create new sandbox" : "Create sandbox"}
      </Button>
    </form>
  );
}
