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

export type Hub = ReturnType<typeof makeHub>;

export function makeHub() {
  const epoch = "m1";
  const log: (Sent & { id: string })[] = [];
  const open = new Set<ServerResponse>();
  let seq = 0;
  let refusing = false;
  const line = (name: string, value: string | undefined) =>
    value === undefined ? "" : `${name}: ${value}\n`;
  const write = (response: ServerResponse, { id, type, data, about }: Sent) =>
    response.write(
      `${line("id", id)}event: ${type}\n${line("about", about && JSON.stringify(about))}data: ${JSON.stringify(data)}\n\n`,
    );
  const beat = setInterval(
    () => open.forEach((response) => write(response, { type: "beat", data: {} })),
    1000,
  );
  return {
    emit<T extends keyof Events>(type: T, data: Events[T], about?: Sent["about"]) {
      const event = { id: `${epoch}.${(seq += 1)}`, type, data, ...(about && { about }) };
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
