// DBOS for Node beside Roost: durable workflows of steps that do nothing. Started by `runs_figures`, which speaks to it in
// lines, as to `tests/python/dbos_steps.py`.
//
//     node dbos_steps.mjs <database url>

import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { DBOS } from "@dbos-inc/dbos-sdk";

const about = JSON.parse(readFileSync(new URL("node_modules/@dbos-inc/dbos-sdk/package.json", import.meta.url)));
const nothing = async () => "done";
const work = DBOS.registerWorkflow(
  async (steps) => {
    for (let step = 0; step < steps; step += 1) await DBOS.runStep(nothing, { name: "step" });
  },
  { name: "work" },
);

DBOS.setConfig({
  name: "figures",
  systemDatabaseUrl: process.argv[2],
  systemDatabasePoolSize: 20,
  logLevel: "error",
});
await DBOS.launch();
console.log(JSON.stringify({ what: `dbos ${about.version} (Node)`, care: "the server's settings" }));

async function measure(atOnce, seconds, steps) {
  let done = 0;
  const begun = performance.now();
  async function keepGoing() {
    while (performance.now() < begun + seconds * 1000) {
      await work(steps);
      done += steps;
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepGoing));
  return { steps: done, seconds: (performance.now() - begun) / 1000 };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [atOnce, seconds, steps] = line.split(" ").map(Number);
  console.log(JSON.stringify(await measure(atOnce, seconds, steps)));
}
await DBOS.shutdown();
