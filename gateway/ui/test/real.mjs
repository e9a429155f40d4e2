// A gateway and a machine of its own for the journey: the built programs, a temporary folder, free ports on loopback.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./kit.ts";

/** Ends a hung start; nothing is measured by it, and a loaded machine may take most of it. */
const PATIENCE = Number(process.env.PATIENCE_S ?? 300) * 1000;

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a program with its words in a file, and knows when it ended. */
function start(program, args, log, environment = {}) {
  const out = openSync(log, "a");
  // The settings of the person who runs the tests must not reach the gateway, which takes ROOST_… as configuration.
  const clean = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("ROOST")));
  const child = spawn(program, args, { stdio: ["ignore", out, out], env: { ...clean, ...environment } });
  closeSync(out);
  const running = { child, log, ended: false };
  running.end = new Promise((resolve) => {
    const note = () => {
      running.ended = true;
      resolve();
    };
    child.once("exit", note);
    child.once("error", note);
  });
  return running;
}

async function stop(running) {
  if (!running.ended) running.child.kill("SIGTERM");
  await running.end;
}

const words = (running) => readFileSync(running.log, "utf8").split("\n").slice(-30).join("\n");

/** The gateway of the folder `bin`, ready to answer, with an image that sandboxes are made of. */
export async function startGateway(bin, image) {
  const folder = mkdtempSync(join(tmpdir(), "roost-journey-"));
  const log = join(folder, "gateway.log");
  const data = join(folder, "data");
  for (let attempt = 1; ; attempt += 1) {
    // Between looking for a port and taking it another program may take it; then the gateway says so and ends.
    const [port, operatorPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      listen: `127.0.0.1:${port}`,
      operator_listen: `127.0.0.1:${operatorPort}`,
      data_dir: data,
      "sandboxes.image": image,
      // Every sandbox is on the machine, whose daemon removes all of them when it leaves, also after a failure.
      "sandboxes.local": "off",
      // Only for what the journey itself listens with.
      "outbound.allow_private": '["127.0.0.1"]',
    };
    const args = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
    const gateway = start(join(bin, "roost"), ["serve", ...args], log);
    const ready = () => fetch(`${url}/readyz`).then((answer) => answer.ok, () => false); // prettier-ignore
    await until("the gateway to be ready", async () => gateway.ended || (await ready()), PATIENCE);
    if (!gateway.ended) {
      const oneTime = readFileSync(join(data, "first-login"), "utf8").trim();
      return { url, oneTime, folder, words: () => words(gateway), stop: () => stop(gateway) };
    }
    if (attempt === 3 || !words(gateway).includes("cannot listen"))
      throw new Error(`the gateway ended before it was ready:\n${words(gateway)}`);
  }
}

/** Joins with the line that the page shows, as its person would, and keeps the daemon running. */
export async function startNode(bin, folder, line) {
  const state = join(folder, "node");
  const log = join(folder, "node.log");
  const environment = { PATH: `${bin}:${process.env.PATH}`, ROOSTD_STATE_DIR: state };
  const joining = start("sh", ["-c", line], log, environment);
  await joining.end;
  if (joining.child.exitCode !== 0) throw new Error(`the machine did not join:\n${words(joining)}`);
  const node = start(join(bin, "roostd"), ["run"], log, environment);
  return {
    words: () => words(node),
    /** As its owner would: every sandbox of this machine goes with it, also after a journey that failed half-way. */
    leave: async () => {
      const leaving = start(join(bin, "roostd"), ["leave", "--yes"], log, environment);
      await leaving.end;
      await stop(node);
      if (leaving.child.exitCode !== 0) throw new Error(`the machine did not leave:\n${words(leaving)}`);
    },
  };
}

export const remove = (folder) => rmSync(folder, { recursive: true, force: true });
