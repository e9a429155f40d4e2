import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { MESHES, meshQuery } from "~/api/mesh";
import type { MeshNetwork } from "~/api/types";
import { QueryView } from "~/ui/query-view";
import { buttonClass } from "~/ui/button";
import { MissingRight } from "~/ui/missing-right";
import { Facts, Panel } from "~/ui/panel";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { SettingsFrame, type Part } from "./frame";

function facts(network: MeshNetwork): Parameters<typeof Facts>[0]["items"] {
  const by = network.created_by?.name || network.created_by?.email;
  return [
    ["Kind", MESHES[network.kind]],
    [
      "Address",
      <bdi key="address" className="font-mono text-small break-all">
        {network.base_url}
      </bdi>,
    ],
    ["Connected", <Ago key="at" at={network.created_at} />],
    ["By", by ? <bdi key="by">{by}</bdi> : "somebody who is gone"],
    ["Key", "In the secret broker; nobody can read it back"],
  ];
}

export function MeshSettings({ parts }: { parts: Part[] }) {
  const setting = useQuery(meshQuery);
  const manages = useMay()("nodes.manage");
  return (
    <SettingsFrame
      parts={parts}
      title="Mesh"
      lead="A private network of this workspace. Roost shows the network's devices with the machines that they belong to."
    >
      <QueryView query={setting} what="the mesh network">
        {({ network }) => (
          <Panel
            title="Mesh network"
            aside={
              network ? (
                <Status tone="done" word="Connected" />
              ) : (
                <Status tone="idle" word="None is connected" />
              )
            }
          >
            {network ? (
              <Facts items={facts(network)} />
            ) : (
              <p className="px-4 pt-4 text-fg-2">
                You can connect a Tailscale or Headscale network with a key that may list devices.
              </p>
            )}
            <div className="flex flex-col items-start gap-3 p-4">
              {manages && !network && (
                <Link to="/mesh" search={{ dialog: "connect" }} className={buttonClass("primary")}>
                  Connect one
                </Link>
              )}
              {(network || !manages) && (
                <Link to="/mesh" className={buttonClass()}>
                  {network ? "Its devices" : "Go to Mesh"}
                </Link>
              )}
              {!manages && <MissingRight what="connect or disconnect a mesh network" least="admin" />}
            </div>
          </Panel>
        )}
      </QueryView>
    </SettingsFrame>
  );
}
