import type { Node } from "~/api/types";
import { bytes, DASH, number, percent } from "~/ui/bytes";
import { CopyText } from "~/ui/copy";
import { Facts, Panel } from "~/ui/panel";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { imageWords } from "../words";

/** What a machine is; what it did not report is a dash. */
export function Machine({ node }: { node: Node }) {
  const image = imageWords[node.image];
  const { health, engine } = node;
  const known: [string, React.ReactNode][] = [
    ["Host name", node.hostname ?? DASH],
    ["System", [node.os, node.arch].filter(Boolean).join(", ") || DASH],
    ["Address", node.local_ip ?? DASH],
    [
      "Engine",
      engine
        ? [engine.name, engine.version, engine.api && `(API ${engine.api})`].filter(Boolean).join(" ")
        : DASH,
    ],
    ["Agent image", <Status key="image" tone={image.tone} word={image.word} />],
    ["Image looked for", node.image_reference ?? DASH],
    ...node.images.map((held): [string, React.ReactNode] => [
      held.reference,
      <span key={held.reference} title={held.detail ?? held.id ?? undefined}>
        <Status tone={imageWords[held.state].tone} word={imageWords[held.state].word} />
      </span>,
    ]),
    [
      "Lends at most",
      node.bounds
        ? `${bytes(node.bounds.all.memory_bytes)} of memory, ${bytes(node.bounds.each.memory_bytes)} to one sandbox`
        : DASH,
    ],
    ["Daemon", node.daemon_version ? `roostd ${node.daemon_version}` : DASH],
    ["Containers", number(health?.containers)],
  ];
  // These exist on some machines only, and a dash would suggest a fault.
  if (node.mesh_ip) known.push(["Mesh address", node.mesh_ip]);
  if (node.gpu_pct !== null && node.gpu_pct !== undefined) known.push(["GPU", percent(node.gpu_pct)]);
  if (node.temp_max !== null && node.temp_max !== undefined)
    known.push(["Hottest sensor", `${number(node.temp_max)} °C`]);
  known.push(
    ["Paired", <Ago key="paired" at={node.created_at} />],
    ["Id", <CopyText key="id" text={node.id} what="machine id" />],
  );
  return (
    <Panel title="Machine">
      <Facts items={known} />
    </Panel>
  );
}
