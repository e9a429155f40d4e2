import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { MeshDevice } from "~/api/types";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { Empty } from "~/ui/empty";
import { useHeld } from "~/ui/held";
import { HeldNote } from "~/ui/held-note";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { devicesQuery } from "./queries";

const DASH = <span className="text-fg-3">–</span>;

function Row({ device, gone }: { device: MeshDevice; gone: boolean }) {
  const ip = device.ip ? <span className="font-mono text-small break-all">{device.ip}</span> : DASH;
  return (
    <tr className={cx(table.row, gone && "line-through opacity-60")}>
      <th scope="row" className={cx(table.cell, "font-normal")}>
        <bdi className="line-clamp-2 max-w-[32ch] font-[550] break-all">{device.name}</bdi>
        <span className="block text-small text-fg-3 md:hidden">{ip}</span>
        <span className="block text-small text-fg-3 sm:hidden">
          {device.os ?? "system unknown"}
          {device.node && (
            <>
              , here <bdi>{device.node.name}</bdi>
            </>
          )}
        </span>
      </th>
      <td className={table.cell}>
        {device.online ? <Status tone="running" word="Online" /> : <Status tone="offline" word="Offline" />}
      </td>
      <td className={cx(table.cell, "max-md:hidden")}>{ip}</td>
      <td className={cx(table.cell, "text-fg-2 max-sm:hidden")}>{device.os ?? DASH}</td>
      <td className={cx(table.cell, "max-sm:hidden")}>
        {device.node ? (
          <Link
            to="/fleet/$id"
            params={{ id: device.node.id }}
            className="rounded-control hover:text-accent hover:underline"
          >
            <bdi>{device.node.name}</bdi>
          </Link>
        ) : (
          DASH
        )}
      </td>
      <td className={cx(table.cell, "text-right text-fg-2 max-lg:hidden")}>
        {device.online ? "now" : <Ago at={device.last_seen} never="unknown" />}
      </td>
    </tr>
  );
}

const HEADS: [string, string][] = [
  ["Device", ""],
  ["State", ""],
  ["Address", "max-md:hidden"],
  ["System", "max-sm:hidden"],
  ["Machine here", "max-sm:hidden"],
  ["Last seen", "text-right max-lg:hidden"],
];

function Rows({ devices }: { devices: MeshDevice[] }) {
  const { rows, waiting, held, release, bind } = useHeld(devices);
  return (
    <>
      <div className="border-b border-line px-4 py-1.5">
        <HeldNote
          held={held}
          waiting={waiting}
          release={release}
          count={devices.length}
          what={devices.length === 1 ? "device" : "devices"}
        />
      </div>
      {/* Scrolled by keyboard where it is wider than the screen.
          oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={table.wrap} role="region" aria-label="Table of devices" tabIndex={0} {...bind}>
        <table className={table.root}>
          <thead>
            <tr>
              {HEADS.map(([head, more]) => (
                <th key={head} scope="col" className={cx(table.head, more)}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ item, gone }) => (
              <Row key={item.id} device={item} gone={gone} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

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
              Look again
            </Button>
          </>
        )
      }
    >
      {query.isPending && <Loading what="devices" rows={4} />}
      {query.isError && !query.data && <Failed error={query.error} retry={() => void query.refetch()} />}
      <Stale query={query} className="m-4" />
      {query.data && sorted.length > 0 && <Rows devices={sorted} />}
      {query.data && sorted.length === 0 && (
        <Empty title="The network has no devices">What joins it is shown here.</Empty>
      )}
    </Panel>
  );
}
