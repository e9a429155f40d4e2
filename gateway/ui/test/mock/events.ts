// The mock's event stream: numbered, replayed by last id, beats every second, cut and mended at will.
import type { ServerResponse } from "node:http";
import type { Schemas } from "./schema.ts";

type Events = Schemas["LiveEvents"];
type Kind = Schemas["ResourceChanged"]["kind"];

interface Sent {
  id?: string;
  type: string;
  data: unknown;
}

export type Hub = ReturnType<typeof makeHub>;

export function makeHub() {
  const epoch = "m1";
  const log: (Sent & { id: string })[] = [];
  const open = new Set<ServerResponse>();
  let seq = 0;
  let refusing = false;
  const write = (response: ServerResponse, { id, type, data }: Sent) =>
    response.write(`${id ? `id: ${id}\n` : ""}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  const beat = setInterval(
    () => open.forEach((response) => write(response, { type: "beat", data: {} })),
    1000,
  );
  return {
    emit<T extends keyof Events>(type: T, data: Events[T]) {
      const event = { id: `${epoch}.${(seq += 1)}`, type, data };
      log.push(event);
      open.forEach((response) => write(response, event));
    },
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
      open.forEach((response) => response.destroy());
    },
    /** Ends every stream, as the gateway does when its session ends; new ones are answered as ever. */
    end() {
      open.forEach((response) => response.destroy());
    },
    mend() {
      refusing = false;
    },
    count: () => open.size,
    close() {
      clearInterval(beat);
      open.forEach((response) => response.destroy());
    },
  };
}
