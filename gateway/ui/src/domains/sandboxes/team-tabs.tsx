// The tabs of a team's page for the sandbox that its agents share, and for its files.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { sandboxQuery, type Owner } from "~/api/sandboxes";
import type { Team } from "~/api/teams";
import { textLink } from "~/ui/class";
import { DestroySandbox } from "~/ui/destroy-sandbox";
import type { FilesChosen } from "~/ui/files-choice";
import { QueryView } from "~/ui/query-view";
import { SandboxLine } from "~/ui/sandbox-line";
import { visible } from "~/ui/visible";
import { FilesTab } from "./files/files";
import { SandboxParts } from "./sandbox";

const ownerOf = ({ id }: Team): Owner => ({ kind: "team", id });

/** In the place of a shared sandbox: the agents have their own, so this leads to them. */
function OfEachAgent({ team, part }: { team: Team; part: "sandbox" | "files" }) {
  return (
    <section
      aria-labelledby="of-each-agent"
      className="rounded-panel border border-line bg-surface p-5 text-fg-2"
    >
      <h2 id="of-each-agent" className="text-head-2 text-fg">
        Each agent of this team works in its own sandbox
      </h2>
      <p>The page of each agent shows its {part}.</p>
      <ul className="mt-3 flex flex-col gap-1">
        {team.members.map(({ node, agent_id, name, slot }) => (
          <li key={node} className="break-words">
            {name == null ? (
              <span className="text-fg-3">nobody any more</span>
            ) : (
              <Link to="/claws/$id" params={{ id: agent_id }} search={{ app: part }} className={textLink}>
                <bdi>{visible(name)}</bdi>
              </Link>
            )}
            , <bdi>{visible(slot)}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

const NOT_SHARED = "The agents of this team do not work in this sandbox any more: each has its own.";

export function TeamSandbox({ team }: { team: Team }) {
  const owner = ownerOf(team);
  const query = useQuery(sandboxQuery(owner));
  const may = useMay()("sandboxes.use");
  const sandbox = query.data ?? undefined;
  return (
    <QueryView query={query} what="the sandbox" rows={3}>
      {() => (
        <div className="flex flex-col gap-4">
          {!sandbox && !team.shared_sandbox && <OfEachAgent team={team} part="sandbox" />}
          <div className="flex flex-wrap items-start gap-3 empty:hidden">
            {sandbox && (
              <div className="flex min-w-0 grow basis-80 flex-col gap-4">
                <SandboxLine sandbox={sandbox} />
                {!team.shared_sandbox && <p className="text-fg-2">{NOT_SHARED}</p>}
              </div>
            )}
            {may && <DestroySandbox owner={owner} name={team.name} sandbox={sandbox} />}
          </div>
          <SandboxParts owner={owner} sandbox={sandbox} makes={team.shared_sandbox} />
        </div>
      )}
    </QueryView>
  );
}

export function TeamFiles({ team, ...choice }: FilesChosen & { team: Team }) {
  const owner = ownerOf(team);
  const sandbox = useQuery(sandboxQuery(owner)).data ?? undefined;
  return (
    <FilesTab
      {...choice}
      owner={owner}
      sandbox={sandbox}
      note={!team.shared_sandbox && <p className="text-fg-2">{NOT_SHARED}</p>}
      instead={!team.shared_sandbox && !sandbox && <OfEachAgent team={team} part="files" />}
    />
  );
}
