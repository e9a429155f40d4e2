// What happened on each page: an agent's, a team's, a machine's and the first page of the workspace.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { configQuery } from "~/api/runtime";
import type { Owner } from "~/api/sandboxes";
import type { Team } from "~/api/teams";
import { useState, type ReactNode } from "react";
import { Button } from "~/ui/button";
import { textLink } from "~/ui/class";
import type { Shown } from "~/ui/shown";
import { isNarrow } from "~/ui/fold";
import { Loading } from "~/ui/skeleton";
import { ActivityView, Latest } from "./activity";
import { lookOf, type Look } from "./model";

interface Part extends Shown {
  output: (owner: Owner, op: string) => ReactNode;
}

const choice = ({ output, show, onShow }: Part) => ({
  output,
  look: lookOf(show),
  onLook: (look: Look) => onShow(look === "all" ? undefined : look),
});

/** In whose sandbox the agent works is part of its configuration. */
function useAgentScope(id: string) {
  const config = useQuery(configQuery(id));
  return config.isPending
    ? undefined
    : { kind: "agent" as const, id, team: config.data?.sandbox_team_id ?? undefined };
}

export function AgentActivity({ id, ...part }: Part & { id: string }) {
  const scope = useAgentScope(id);
  if (!scope) return <Loading what="what happened" rows={6} />;
  return (
    <ActivityView
      {...choice(part)}
      scope={scope}
      none="This page lists the commands that run in its sandbox, its runs and approvals, and what people change."
    />
  );
}

export function AgentLatest({ id, output }: Pick<Part, "output"> & { id: string }) {
  const scope = useAgentScope(id);
  if (!scope) return <Loading what="what happened last" rows={3} />;
  return <Latest scope={scope} output={output} most={4} />;
}

export function TeamActivity({ team, ...part }: Part & { team: Team }) {
  const members = team.members.map(({ agent_id }) => agent_id);
  return (
    <ActivityView
      {...choice(part)}
      scope={{ kind: "team", id: team.id, members, shared: team.shared_sandbox }}
      none="This page lists the runs of the team, the commands and approvals of its agents, and what people change."
    />
  );
}

export function NodeActivity({ id, ...part }: Part & { id: string }) {
  return (
    <ActivityView
      {...choice(part)}
      title="Activity"
      scope={{ kind: "node", id }}
      step={isNarrow() ? 3 : 6}
      none="This list shows what the gateway asks of this machine. Its owner sees the same with roostd status."
    />
  );
}

/** A kind of entries that is listed when a person asks for it. */
function Also({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <Button
      look={on ? "plain" : "quiet"}
      className="h-6 text-small"
      aria-pressed={on}
      onClick={() => onChange(!on)}
    >
      {label}
    </Button>
  );
}

export function WorkspaceActivity(part: Part) {
  const may = useMay();
  const [changes, setChanges] = useState(false);
  const [commands, setCommands] = useState(false);
  return (
    <ActivityView
      {...choice(part)}
      title="Activity"
      scope={{ kind: "workspace", changes, commands }}
      step={isNarrow() ? 5 : 10}
      choices={
        <>
          <Also label="Commands" on={commands} onChange={setCommands} />
          {may("audit.read") && <Also label="Changes" on={changes} onChange={setChanges} />}
        </>
      }
      aside={
        <Link to="/runs" className={textLink}>
          All runs
        </Link>
      }
      none="This list shows the runs of this workspace, what agents ask for, and what people change."
    />
  );
}
