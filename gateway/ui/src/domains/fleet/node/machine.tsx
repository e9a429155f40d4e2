import type { Node } from "~/api/types";
import { bytes, DASH, number, percent } from "~/ui/bytes";
import { CopyText } from "~/ui/copy";
import { NarrowFold } from "~/ui/fold";
import { Facts } from "~/ui/panel";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { imageWords } from "../words";

/** How far the machine is with an image that it fetches from the gateway. */
function Fetch({ image, fetch }: { image: string; fetch: NonNullable<Node["images"][number]["fetch"]> }) {
  if (fetch.problem)
    return (
      <>
        <Status tone="failed" word="Cannot be fetched" />
        <span className="block text-small text-fg-2">{fetch.problem}</span>
      </>
    );
  if (!fetch.total_bytes) return <Status tone="moving" word="The gateway packs it" />;
  const percentDone = Math.min(100, (100 * fetch.done_bytes) / fetch.total_bytes);
  const said = `${bytes(fetch.done_bytes)} of ${bytes(fetch.total_bytes)}`;
  return (
    <>
      <span
        role="progressbar"
        className="meter-bar me-2 inline-block align-middle text-accent"
        style={{ backgroundSize: `${percentDone}% 6px, 100% 6px, 0 2px` }}
        aria-label={`Fetching ${image}`}
        aria-valuetext={said}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percentDone)}
      />
      Fetching, {said}
    </>
  );
}

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
    ["Expected image", node.image_reference ?? DASH],
    ...node.images.map((held): [string, React.ReactNode] => [
      held.reference,
      <span key={held.reference} title={held.detail ?? held.id ?? undefined}>
        {held.fetch ? (
          <Fetch image={held.reference} fetch={held.fetch} />
        ) : (
          <Status tone={imageWords[held.state].tone} word={imageWords[held.state].word} />
        )}
      </span>,
    ]),
    [
      "Lending limit",
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
    <NarrowFold id="machine" title="Machine" summary={[node.os, node.arch].filter(Boolean).join(", ")}>
      <Facts items={known} />
    </NarrowFold>
  );
}
