// The tabs of an agent's page for its sandbox and its files. The agent may work in the sandbox of its team instead.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Box } from "lucide-react";
import { configQuery } from "~/api/runtime";
import { teamQuery } from "~/api/teams";
import type { Sandbox } from "~/api/types";
import { buttonClass } from "~/ui/button";
import { textLink } from "~/ui/class";
import type { FilesChosen } from "~/ui/files-choice";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { FilesTab } from "./files/files";
import { SandboxParts } from "./sandbox";

type Part = "sandbox" | "files";

/** The name of a team, as far as it is known. */
function useTeamName(id: string): string {
  const name = useQuery(teamQuery(id)).data?.name;
  return name ? visible(name).slice(0, 100) : "its team";
}

const to = (id: string, tab: Part) => ({ to: "/teams/$id", params: { id }, search: { tab } }) as const;

/** In the place of an own sandbox or own files: the agent works in the sandbox that its team shares. */
function InTeam({ team, part }: { team: string; part: Part }) {
  const name = useTeamName(team);
  return (
    <div className="flex gap-4 rounded-panel border border-line bg-surface p-5">
      <Box size={28} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-fg-3 max-sm:hidden" />
      <div className="min-w-0">
        <h2 className="text-head-2">This agent works in its team's sandbox</h2>
        <p className="max-w-[64ch] break-words text-fg-2">
          All agents of <bdi>{name}</bdi> share one sandbox.{" "}
          {part === "files" ? "Their files are there." : "This agent needs no sandbox of its own."}
        </p>
        <Link {...to(team, part)} className={`${buttonClass("primary")} mt-4 max-w-full`}>
          <span className="truncate">
            Open the {part} of <bdi>{name}</bdi>
          </span>
        </Link>
      </div>
    </div>
  );
}

/** Beside an own sandbox or own files, which the team does not use. */
function InTeamNote({ team, part }: { team: string; part: Part }) {
  const name = useTeamName(team);
  return (
    <p className="break-words text-fg-2">
      In its team, this agent works in the{" "}
      <Link {...to(team, part)} className={textLink}>
        sandbox of <bdi>{name}</bdi>
      </Link>
      . {part === "files" ? "The files below are those" : "The sandbox below is that"} of the agent alone.
    </p>
  );
}

interface Props {
  id: string;
  sandbox: Sandbox | undefined;
}

export function AgentSandbox({ id, sandbox }: Props) {
  const config = useQuery(configQuery(id));
  const team = config.data?.sandbox_team_id;
  const none = !sandbox || sandbox.state === "lost";
  return (
    <div className="flex flex-col gap-4">
      {none && config.isPending && (
        <Loading what="the sandbox" rows={3} className="rounded-panel border border-line bg-surface" />
      )}
      {team && (sandbox ? <InTeamNote team={team} part="sandbox" /> : <InTeam team={team} part="sandbox" />)}
      <SandboxParts owner={{ kind: "claw", id }} sandbox={sandbox} makes={!config.isPending && !team} />
    </div>
  );
}

export function AgentFiles({ id, sandbox, ...choice }: Props & FilesChosen) {
  const team = useQuery(configQuery(id)).data?.sandbox_team_id;
  return (
    <FilesTab
      {...choice}
      owner={{ kind: "claw", id }}
      sandbox={sandbox}
      note={team && <InTeamNote team={team} part="files" />}
      instead={team && !sandbox && <InTeam team={team} part="files" />}
    />
  );
}
