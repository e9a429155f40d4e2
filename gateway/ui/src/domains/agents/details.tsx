import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { configQuery } from "~/api/runtime";
import { teamsQuery } from "~/api/teams";
import type { Claw, Sandbox } from "~/api/types";
import { bytes, DASH } from "~/ui/bytes";
import { textLink } from "~/ui/class";
import { CopyText } from "~/ui/copy";
import { Facts, Panel } from "~/ui/panel";
import { filesOf } from "~/ui/sandbox-words";
import { Ago, useNow, span } from "~/ui/time";
import { visible } from "~/ui/visible";
import { teamsOf } from "./arrange";
import { AvatarChoice } from "./avatar";

function Until({ at }: { at: string }) {
  const left = Date.parse(at) - useNow();
  return <>{left > 0 ? `another ${span(left)} unless used` : "ended"}</>;
}

/** The teams that it works in. */
function TeamsOf({ claw }: { claw: Claw }) {
  const teams = useQuery(teamsQuery).data;
  if (!teams) return DASH;
  const own = teamsOf(teams).get(claw.id) ?? [];
  if (own.length === 0) return <span className="text-fg-3">none</span>;
  return (
    <ul>
      {own.map(({ id, name }) => (
        <li key={id}>
          <Link to="/teams/$id" params={{ id }} className={textLink}>
            <bdi>{visible(name)}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The model that it would use now. Without one of its own, its team's or the workspace's applies. */
function ModelOf({ claw }: { claw: Claw }) {
  const config = useQuery(configQuery(claw.id)).data;
  const own = claw.model_binding;
  const model = config ? config.model : own;
  if (!config && !own) return DASH;
  if (!model)
    return <span className="text-fg-3">{own ? `${visible(own)}, which is not there` : "none is set"}</span>;
  return (
    <>
      <bdi className="font-mono text-small break-all">{visible(model)}</bdi>
      {!own && <span className="block text-small text-fg-3">not its own: the team's or the workspace's</span>}
    </>
  );
}

/** Everything else that is known of an agent and its sandbox. */
export function Details({ claw, sandbox }: { claw: Claw; sandbox: Sandbox | undefined }) {
  const may = useMay();
  return (
    <div className="grid min-w-0 items-start gap-4 md:max-xl:grid-cols-2">
      <Panel title="Agent">
        <Facts
          items={[
            [
              "Managed by",
              claw.managed_by.name
                ? `${claw.managed_by.name} (${claw.managed_by.email})`
                : claw.managed_by.email,
            ],
            ["Team", <TeamsOf key="team" claw={claw} />],
            ["Model", <ModelOf key="model" claw={claw} />],
            ["Created", <Ago key="created" at={claw.created_at} />],
            ["Changed", <Ago key="changed" at={claw.updated_at} />],
            ["Id", <CopyText key="id" text={claw.id} what="agent id" />],
          ]}
        />
        {may("claws.write") && <AvatarChoice claw={claw} />}
      </Panel>
      {sandbox && (
        <Panel title="Sandbox">
          <Facts
            items={[
              [
                "Image",
                <span key="image" className="font-mono text-small">
                  {sandbox.image}
                </span>,
              ],
              ["Workspace", bytes(sandbox.limits.workspace_bytes)],
              ["Made", <Ago key="made" at={sandbox.created_at} />],
              ["Last used", <Ago key="used" at={sandbox.last_used_at} />],
              ["Kept for", sandbox.lease_until ? <Until key="lease" at={sandbox.lease_until} /> : DASH],
              [
                "Files saved",
                sandbox.snapshot ? (
                  <span key="saved">
                    {filesOf(sandbox.snapshot)}, <Ago at={sandbox.snapshot.taken_at} />
                  </span>
                ) : (
                  "not yet"
                ),
              ],
              ["Id", <CopyText key="id" text={sandbox.id} what="sandbox id" />],
            ]}
          />
        </Panel>
      )}
    </div>
  );
}
