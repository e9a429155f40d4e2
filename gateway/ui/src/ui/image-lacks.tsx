// The image of new sandboxes, where the machine that they are made on does not have it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { imagesQuery } from "~/api/images";
import { useMay } from "~/api/may";
import { nodeQuery, placementQuery } from "~/api/nodes";
import type { components } from "~/api/schema";
import type { Node } from "~/api/types";
import { textLink } from "./class";
import { Sentence } from "./lacks";
import { takesWork } from "./node-state";
import { visible } from "./visible";

type Image = Pick<components["schemas"]["Image"], "name" | "reference" | "is_default" | "remedy">;
type Known = Image & Pick<components["schemas"]["Image"], "state">;
type Machine = Pick<Node, "name" | "images">;

/** The gateway's own machine. */
const LOCAL = "local";

const STATES: Partial<Record<Node["images"][number]["state"], string>> = {
  missing: "is not there",
  "wrong-digest": "has another digest than the configuration demands",
  unfit: "cannot be a sandbox",
};

/**
 * What is missing, in sentences with commands between backticks. Without a machine, on the gateway's own one. A machine
 * that reports nothing about an image may have it.
 */
export function imageLack(
  images: readonly Image[],
  kind: string | null | undefined,
  machine?: Machine,
): string | undefined {
  const image = images.find((one) => (kind ? one.name === kind : one.is_default));
  if (!image) return kind ? `This deployment has no image \`${kind}\`.` : undefined;
  if (!machine) return image.remedy ?? undefined;
  const held = machine.images.find(({ reference }) => reference === image.reference);
  const state = held && STATES[held.state];
  if (!state) return undefined;
  if (held.fetch && !held.fetch.problem)
    return `The machine ${machine.name} fetches \`${image.reference}\` from the gateway now.`;
  return [
    `On the machine ${machine.name}, \`${image.reference}\` ${state}.`,
    ...[held.fetch?.problem ?? held.detail].filter((more) => more),
  ].join(" ");
}

/** Whether no container engine of the gateway's own machine has answered: it then knows no state of any image. */
export const lacksEngine = (images: readonly Pick<Known, "state">[]): boolean =>
  images.length > 0 && images.every(({ state }) => state === "unknown");

/**
 * The images, and the machine on which sandboxes are made: `local`, the id of one, or null for the workspace's placement.
 * No machine means the gateway's own one. Undefined until all is known.
 */
function usePlace(
  machine: string | null,
): { images: readonly Known[]; there?: Node | undefined } | undefined {
  const images = useQuery(imagesQuery).data?.items;
  const placement = useQuery({ ...placementQuery, enabled: machine === null }).data;
  const id = machine ?? (placement && ((placement.target === "node" && placement.node_id) || LOCAL));
  const away = id !== undefined && id !== LOCAL;
  const node = useQuery({ ...nodeQuery(id ?? ""), enabled: away });
  if (!images || !id || (away && node.isPending)) return undefined;
  // The gateway makes sandboxes on its own machine while the chosen one takes none.
  return { images, there: away && node.data && takesWork(node.data) ? node.data : undefined };
}

/** Says that no sandbox can be made, because the gateway's own machine has no container engine. */
export function EngineLacks({ machine }: { machine: string | null }) {
  const place = usePlace(machine);
  const mayPair = useMay()("nodes.manage");
  if (!place || place.there || !lacksEngine(place.images)) return null;
  return (
    <p className="text-waiting">
      No container engine of the gateway's own machine has answered, so no sandbox can be made there. Start
      one there, or pair another machine.{" "}
      {mayPair && (
        <Link to="/fleet" className={textLink}>
          Open the fleet
        </Link>
      )}
    </p>
  );
}

interface Props {
  /** A name of the deployment's images; without it, the default one. */
  kind: string | null | undefined;
  /** `local`, the id of a machine, or null for the workspace's placement. */
  machine: string | null;
  whose: "team" | "agent";
}

/** Says that the image of new sandboxes is missing where they are made. */
export function ImageLacks({ kind, machine, whose }: Props) {
  const place = usePlace(machine);
  const lack = place && imageLack(place.images, kind, place.there);
  const there = place?.there;
  return lack ? (
    <p className="break-words text-waiting">
      The image of new sandboxes of this {whose} is missing. <Sentence text={lack} />{" "}
      {there && (
        <Link to="/fleet/$id" params={{ id: there.id }} className={textLink}>
          Open <bdi>{visible(there.name)}</bdi>
        </Link>
      )}
    </p>
  ) : null;
}
