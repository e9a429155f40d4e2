import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Node } from "~/api/types";
import { DASH, percent, share } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { Meter } from "~/ui/meter";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { sandboxesQuery } from "./queries";
import { reserved } from "./reserved";
import { nodeState } from "./words";

/** One machine in the fleet. Figures of a machine that is away are greyed, not hidden. */
export function NodeRow({ node, gone }: { node: Node; gone: boolean }) {
  const state = nodeState(node);
  const sandboxes = useQuery({ ...sandboxesQuery(node.id), enabled: node.sandboxes > 0 && !gone });
  const promised = reserved(node, sandboxes.data);
  const health = node.health;
  const away = node.connection === "disconnected";
  const old = away && "opacity-90 grayscale";
  return (
    <tr className={cx(table.row, gone && "line-through opacity-60")}>
      <th scope="row" className={cx(table.cell, "h-12 font-normal")}>
        <Link
          to="/fleet/$id"
          params={{ id: node.id }}
          className="rounded-control font-[550] hover:text-accent hover:underline"
        >
          {node.name}
        </Link>
        <div className="truncate text-small text-fg-3">
          {[node.hostname, node.arch].filter(Boolean).join(" · ") || "not joined yet"}
        </div>
        {health && (
          <div className="text-small text-fg-3 sm:hidden">
            CPU {percent(health.cpu_pct)} · memory{" "}
            {percent(share(health.memory_used_bytes, health.memory_total_bytes))} ·{" "}
            <Ago at={node.last_seen_at} />
          </div>
        )}
      </th>
      <td className={table.cell}>
        <Status tone={state.tone} word={state.word} title={state.why} />
      </td>
      <td className={cx(table.cell, "text-right max-sm:hidden")}>
        {node.status === "pending" ? DASH : node.sandboxes}
      </td>
      <td className={cx(table.cell, "max-md:hidden", old)}>
        <Meter label="CPU" used={health?.cpu_pct ?? undefined} reserved={promised.cpu} />
      </td>
      <td className={cx(table.cell, "max-md:hidden", old)}>
        <Meter
          label="Memory"
          used={share(health?.memory_used_bytes, health?.memory_total_bytes)}
          reserved={promised.memory}
        />
      </td>
      <td className={cx(table.cell, "max-xl:hidden", old)}>
        <Meter label="Disk" used={share(health?.disk_used_bytes, health?.disk_total_bytes)} />
      </td>
      <td className={cx(table.cell, "font-mono text-small text-fg-2 max-xl:hidden")}>
        {node.daemon_version ?? DASH}
      </td>
      <td className={cx(table.cell, "text-right text-fg-2 max-sm:hidden")}>
        {node.status === "pending" ? (
          <span className="text-fg-3">never</span>
        ) : (
          <Ago at={node.last_seen_at} never="never" />
        )}
      </td>
    </tr>
  );
}
