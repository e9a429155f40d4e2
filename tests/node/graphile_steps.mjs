// graphile-worker beside Roost: jobs that do nothing. Started by `runs_figures`, which speaks to it in lines.
//
//     node graphile_steps.mjs <database url> chained|loose
//
// Asked `<at once> <seconds> <steps each>` on a line of stdin, it works for so long and answers `{"steps": …, "seconds": …}`.
// Its first line says what it is.
//
// * chained: what a run of steps is made of where there are only jobs: each job puts the next one of its run into the
//   queue. So many runs at a time; the next one begins when one is over.
// * loose: jobs that have nothing to do with each other, put into the queue 1,000 in a statement, and so many at once: what
//   the library can do at most. Its own performance settings: a local queue of 500, ends of jobs written together.
//
// The clock stops when the last job was carried out; that its end is still to be written is not counted.

import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { Logger, makeWorkerUtils, run } from "graphile-worker";

const [connectionString, mode] = process.argv.slice(2);
const CROWD = 1000;
const logger = new Logger(() => () => {});
const about = JSON.parse(readFileSync(new URL("node_modules/graphile-worker/package.json", import.meta.url)));

const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
console.log(JSON.stringify({ what: `graphile-worker ${about.version}, ${mode}`, care: "the server's settings" }));

function preset(atOnce) {
  const batches = mode === "loose" ? { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : {};
  // A connection for each job up to 24: that is where its own measurements stand.
  const connections = Math.min(atOnce, 24) + 2;
  return { worker: { connectionString, concurrentJobs: atOnce, maxPoolSize: connections, logger, ...batches } };
}

async function chained(atOnce, seconds, steps) {
  let done = 0;
  let going = atOnce;
  let over;
  const all = new Promise((resolve) => (over = resolve));
  let until;
  async function step({ left }, { addJob }) {
    done += 1;
    if (left > 1) await addJob("step", { left: left - 1 });
    else if (performance.now() < until) await addJob("step", { left: steps });
    else if (--going === 0) over();
  }
  const runner = await run({ preset: preset(atOnce), taskList: { step } });
  const begun = performance.now();
  until = begun + seconds * 1000;
  await Promise.all(Array.from({ length: atOnce }, () => utils.addJob("step", { left: steps })));
  await all;
  const took = (performance.now() - begun) / 1000;
  await runner.stop();
  return { steps: done, seconds: took };
}

async function loose(atOnce, seconds) {
  let done = 0;
  let added = 0;
  let last;
  let wake = () => {};
  function step() {
    done += 1;
    last = performance.now();
    if (added - done <= CROWD || done === added) wake();
  }
  const add = async () => {
    await utils.addJobs(Array.from({ length: CROWD }, () => ({ identifier: "step", payload: {} })));
    added += CROWD;
  };
  const changed = () => new Promise((resolve) => (wake = resolve));
  const runner = await run({ preset: preset(atOnce), taskList: { step } });
  const begun = performance.now();
  while (performance.now() < begun + seconds * 1000) {
    if (added - done <= CROWD) await add();
    else await changed();
  }
  while (done < added) await changed();
  await runner.stop();
  return { steps: done, seconds: (last - begun) / 1000 };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [atOnce, seconds, steps] = line.split(" ").map(Number);
  const answer = await (mode === "loose" ? loose(atOnce, seconds) : chained(atOnce, seconds, steps));
  console.log(JSON.stringify(answer));
}
await utils.release();
