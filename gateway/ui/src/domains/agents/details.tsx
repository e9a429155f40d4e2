import { useMay } from "~/api/may";
import type { Claw, Sandbox } from "~/api/types";
import { bytes, DASH } from "~/ui/bytes";
import { CopyText } from "~/ui/copy";
import { Facts, Panel } from "~/ui/panel";
import { filesOf } from "~/ui/sandbox-words";
import { Ago, useNow, span } from "~/ui/time";
import { AvatarChoice } from "./avatar";

function Until({ at }: { at: string }) {
  const left = Date.parse(at) - useNow();
  return <>{left > 0 ? `another ${span(left)} unless used` : "ended"}</>;
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
            ["Model", claw.model_binding || DASH],
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
