// The mock's event stream: numbered, replayed by last id, beats every second, cut and mended at will.
import type { ServerResponse } from "node:http";
import type { Schemas } from "./schema.ts";

type Events = Schemas["LiveEvents"];
type Kind = Schemas["ResourceChanged"]["kind"];

interface Sent {
  id?: string;
  type: string;
  data: unknown;
  about?: { run?: string; mission?: string; room?: string };
}

/** What the world stream tells besides its landmarks. */
const ON_WORLD: ReadonlySet<string> = new Set(["world.touch", "node.activity", "agent.status"]);

export type Hub = ReturnType<typeof makeHub>;

export function makeHub() {
  const epoch = "m1";
  const log: (Sent & { id: string })[] = [];
  const open = new Set<ServerResponse>();
  /** The streams of the world, each with what its landmarks are now. */
  const worlds = new Map<ServerResponse, () => Schemas["TopologyUpdate"]>();
  let seq = 0;
  let refusing = false;
  const line = (name: string, value: string | undefined) =>
    value === undefined ? "" : `${name}: ${value}\n`;
  const write = (response: ServerResponse, { id, type, data, about }: Sent) =>
    response.write(
      `${line("id", id)}event: ${type}\n${line("about", about && JSON.stringify(about))}data: ${JSON.stringify(data)}\n\n`,
    );
  const beat = setInterval(
    () => [...open, ...worlds.keys()].forEach((response) => write(response, { type: "beat", data: {} })),
    1000,
  );
  return {
    emit<T extends keyof Events>(type: T, data: Events[T], about?: Sent["about"]) {
      const event = { id: `${epoch}.${(seq += 1)}`, type, data, ...(about && { about }) };
      log.push(event);
      open.forEach((response) => write(response, event));
      if (ON_WORLD.has(type)) worlds.forEach((_, response) => write(response, event));
      else if (type === "resource.changed") this.landmarks();
    },
    /** Sends the landmarks again, as they are now. */
    landmarks() {
      worlds.forEach((now, response) => write(response, { type: "topology.update", data: now() }));
    },
    attachWorld(response: ServerResponse, now: () => Schemas["TopologyUpdate"]) {
      if (refusing) {
        response.destroy();
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      worlds.set(response, now);
      response.on("close", () => worlds.delete(response));
      write(response, { type: "topology.update", data: now() });
    },
    worlds: () => worlds.size,
    changed(kind: Kind, id: string, version = 1) {
      this.emit("resource.changed", { kind, id, version });
    },
    attach(response: ServerResponse, lastId: string | undefined) {
      if (refusing) {
        response.destroy();
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write(": hello\n\n");
      open.add(response);
      response.on("close", () => open.delete(response));
      if (!lastId) return;
      const after = Number(lastId.split(".")[1]);
      log
        .filter((event) => Number(event.id.split(".")[1]) > after)
        .forEach((event) => write(response, event));
    },
    /** Cuts every stream; new ones are refused until `mend`. */
    cut() {
      refusing = true;
      [...open, ...worlds.keys()].forEach((response) => response.destroy());
    },
    /** Ends every stream, as the gateway does when its session ends; new ones are answered as ever. */
    end() {
      [...open, ...worlds.keys()].forEach((response) => response.destroy());
    },
    mend() {
      refusing = false;
    },
    count: () => open.size,
    close() {
      clearInterval(beat);
      [...open, ...worlds.keys()].forEach((response) => response.destroy());
    },
  };
}
