import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { MeshDevice } from "~/api/types";
import { Button } from "~/ui/button";
import { type Column, LiveTable } from "~/ui/data-table";
import { Empty } from "~/ui/empty";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { devicesQuery } from "./queries";

const DASH = <span className="text-fg-3">–</span>;

const ip = (device: MeshDevice) =>
  device.ip ? <span className="font-mono text-small break-all">{device.ip}</span> : DASH;

const COLUMNS: Column<MeshDevice>[] = [
  {
    name: "Device",
    show: (device) => (
      <>
        <bdi className="line-clamp-2 max-w-[32ch] font-[550] break-all">{device.name}</bdi>
        <span className="block text-small text-fg-3 md:hidden">{ip(device)}</span>
        <span className="block text-small text-fg-3 sm:hidden">
          {device.os ?? "system unknown"}
          {device.node && (
            <>
              , here <bdi>{device.node.name}</bdi>
            </>
          )}
        </span>
      </>
    ),
  },
  {
    name: "State",
    show: ({ online }) =>
      online ? <Status tone="running" word="Online" /> : <Status tone="offline" word="Offline" />,
  },
  { name: "Address", look: "max-md:hidden", show: ip },
  { name: "System", look: "max-sm:hidden", cell: "text-fg-2", show: ({ os }) => os ?? DASH },
  {
    name: "Machine here",
    look: "max-sm:hidden",
    show: ({ node }) =>
      node ? (
        <Link
          to="/fleet/$id"
          params={{ id: node.id }}
          className="rounded-control hover:text-accent hover:underline"
        >
          <bdi>{node.name}</bdi>
        </Link>
      ) : (
        DASH
      ),
  },
  {
    name: "Last seen",
    look: "text-right max-lg:hidden",
    cell: "text-fg-2",
    show: (device) => (device.online ? "now" : <Ago at={device.last_seen} never="unknown" />),
  },
];

/** The devices of a network, those that are online first. They are read when somebody looks, not by themselves. */
export function Devices({ network }: { network: string }) {
  const query = useQuery(devicesQuery(network));
  const sorted = useMemo(
    () =>
      (query.data?.items ?? []).toSorted(
        (a, b) =>
          Number(b.online) - Number(a.online) ||
          a.name.localeCompare(b.name, "en", { numeric: true }) ||
          a.id.localeCompare(b.id),
      ),
    [query.data],
  );
  return (
    <Panel
      title="Devices"
      aside={
        query.data && (
          <>
            <span>
              read <Ago at={query.data.read_at} />
            </span>
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              Refresh
            </Button>
          </>
        )
      }
    >
      {query.isPending && <Loading what="devices" rows={4} />}
      {query.isError && !query.data && <Failed error={query.error} retry={() => void query.refetch()} />}
      <Stale query={query} className="m-4" />
      {query.data && sorted.length > 0 && (
        <LiveTable label="Table of devices" what={["device", "devices"]} columns={COLUMNS} rows={sorted} />
      )}
      {query.data && sorted.length === 0 && (
        <Empty title="The network has no devices">Devices that join it are shown here.</Empty>
      )}
    </Panel>
  );
}
