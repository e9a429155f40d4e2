// `npm run figure:lists`: every list with 10,000 rows, 5,000 notifications and a run of 3,000 calls: when the page can be used,
// its longest task until then, and the frames while it is scrolled. Also how fast a choice of 10,000 agents opens. ROWS, SECONDS and ONLY=name,name change what is measured.
// Headless Chromium without a GPU; the page is the built one, the gateway is the mock, whose answers cost next to nothing.
import { launch, visitor } from "./kit.ts";
import { newId } from "./mock/ids.ts";
import { makeNode } from "./mock/nodes.ts";
import { makeRoutine } from "./mock/routes-routines.ts";
import { makeRun, makeStep } from "./mock/runs.ts";
import { startMock } from "./mock/server.ts";
import { makeEntry } from "./mock/state.ts";

const ROWS = Number(process.env.ROWS ?? 10_000);
const SECONDS = Number(process.env.SECONDS ?? 4);
/** Sixty frames a second. */
const FRAME_MS = 1000 / 60;
const only = process.env.ONLY?.split(",");
const pad = (n) => String(n).padStart(5, "0");
const many = (list, make, count = ROWS) => {
  for (let n = list.length; n < count; n += 1) list.push(make(n));
};
const copies = (list) => {
  const [one] = list;
  many(list, (n) => ({ ...one, id: newId(), name: `${one.name} ${pad(n)}` }));
};

/** Where each list is, and how the gateway gets so many. */
const LISTS = {
  agents: ["/agents", ({ claws }) => copies(claws)],
  teams: ["/teams", ({ teams }) => copies(teams.list)],
  machines: ["/fleet", ({ nodes }) => many(nodes, (n) => makeNode(`box-${pad(n)}`, { sandboxes: n % 5 }))],
  runs: [
    "/runs",
    ({ runs }) => {
      const [one] = runs.list;
      many(runs.list, (n) => ({ ...one, id: newId(), title: `Run ${pad(n)}` }));
    },
  ],
  missions: [
    "/missions",
    ({ missions }) => {
      const [one] = missions.list;
      many(missions.list, (n) => ({ ...one, id: newId(), title: `Mission ${pad(n)}` }));
    },
  ],
  audit: [
    "/audit",
    (state) =>
      many(state.audit, (n) => makeEntry(state, n, "claw.changed", state.claws[n % 3], { name: `box ${n}` })),
  ],
  notifications: ["/quotas", () => undefined, 5000],
  skills: [
    "/skills",
    ({ skills }) => {
      const [one] = skills;
      many(skills, (n) => ({ ...one, id: newId(), name: `skill-${pad(n)}`, title: `Skill ${pad(n)}` }));
    },
  ],
  templates: ["/templates", ({ templates }) => copies(templates)],
  routines: [
    "/routines",
    (state) => many(state.routines.list, (n) => makeRoutine(state, { name: `Routine ${pad(n)}` })),
  ],
  // The gateway lists at most 500.
  repositories: ["/repos", ({ repos: { repos } }) => copies(repos), 500],
  members: [
    "/members",
    ({ people: { members } }) => {
      const one = members.at(-1);
      const person = (n) => ({ id: newId(), name: `Grace ${pad(n)}`, email: `grace-${n}@example.org` });
      many(members, (n) => ({ ...one, user: person(n) }));
    },
  ],
  connections: [
    "/connections",
    ({ apps, claws }) => {
      copies(claws);
      many(apps.connections, (n) => ({ ...apps.connections[n % 4], id: newId(), agent_id: claws[n].id }));
    },
  ],
  "calls of a run": [
    (state) => `/runs/${state.runs.list[0].id}`,
    (state) => {
      const run = makeRun(state, { title: "Much work", status: "running" });
      many(
        run.steps,
        (n) => makeStep(run, run.graph.nodes[0].id, { lap: n, status: "done", output: `Done ${n}.` }),
        20,
      );
      const known = [...state.runs.calls.values()].flat();
      state.runs.list.unshift(run);
      const step = run.graph.nodes[0].id;
      state.runs.calls.set(
        run.id,
        Array.from({ length: 3000 }, (_, n) => ({
          ...known[n % known.length],
          id: newId(),
          step,
          node: step,
          index: n,
          position: n,
        })),
      );
    },
    3000,
  ],
};

function watch() {
  window.seen = { longest: 0, busyUntil: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      window.seen.longest = Math.max(window.seen.longest, duration);
      window.seen.busyUntil = startTime + duration;
    }
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    const there = document.querySelector("h1") && document.querySelector("main :is(a[href], button, input)");
    const hidden = document.querySelector("main.opacity-0, .skeleton");
    if (there && !hidden) window.seen.usable = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Scrolls what scrolls: the page, or the list in a layer. */
function frames([seconds, layer]) {
  const place = layer ? document.querySelector("[role=dialog] ul") : document.scrollingElement;
  return new Promise((done) => {
    const times = [];
    let before = performance.now();
    const end = before + seconds * 1000;
    const frame = (now) => {
      times.push(now - before);
      before = now;
      place.scrollBy(0, Math.floor(now / 1500) % 2 ? -120 : 120);
      if (now < end) requestAnimationFrame(frame);
      else done(times.slice(1));
    };
    requestAnimationFrame(frame);
  });
}

/** Signs in and goes to a page. */
async function open(page, mock, path) {
  await page.goto(`${mock.url}/sign-in?next=%2Faccount`);
  await page.getByLabel("E-mail").fill(mock.state.user.email);
  await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Account" }).waitFor();
  await page.goto(mock.url + path);
}

/** From the press of a key until the next frame is drawn. */
const pressed = (page, key) =>
  page.evaluate(
    (name) =>
      new Promise((done) => {
        const begin = performance.now();
        document.activeElement.dispatchEvent(
          new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }),
        );
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
      }),
    key,
  );

/** The choice of who works, with as many agents. */
async function picker() {
  const mock = await startMock({});
  copies(mock.state.claws);
  const { context, page } = await visitor(browser, { width: 1440, height: 900 });
  await open(page, mock, "/");
  await page.getByRole("button", { name: "Give work" }).click();
  const box = page.getByRole("combobox", { name: "Who works" });
  await box.waitFor();
  await page.waitForTimeout(2000);
  await box.focus();
  const opened = await pressed(page, "ArrowDown");
  const options = await page.getByRole("option").count();
  await page.waitForTimeout(500);
  const keys = [];
  for (const key of ["ArrowDown", "ArrowDown", "End", "Home", "PageDown"])
    keys.push(await pressed(page, key));
  console.log(
    `agent picker: ${ROWS}, open after ${Math.round(opened)} ms, ${options} options drawn, ` +
      `a key at most ${Math.round(Math.max(...keys))} ms`,
  );
  await context.close();
  await mock.close();
}

const browser = await launch();
let slow = false;
for (const [name, [path, grow, count = ROWS]] of Object.entries(LISTS)) {
  if (only && !only.includes(name)) continue;
  const mock = await startMock({ missions: true });
  grow(mock.state);
  const { context, page } = await visitor(browser, { width: 1440, height: 900 });
  await page.addInitScript(watch);
  if (name === "notifications")
    await page.addInitScript(
      ([user, workspace, most]) => {
        const notices = Array.from({ length: most }, (_, n) => ({
          id: `node:${n}:away:1`,
          kind: "node-offline",
          at: Date.now() - n * 60_000,
          name: `box ${n}`,
          read: n > 20,
        }));
        localStorage.setItem(
          `roost-notices:${user}:${workspace}`,
          JSON.stringify({ notices, standing: { nodes: {}, sandboxes: {} }, cleared: [] }),
        );
      },
      [mock.state.user.id, mock.state.people.workspaces[0].id, count],
    );
  await open(page, mock, typeof path === "string" ? path : path(mock.state));
  await page.waitForFunction(
    () =>
      window.seen?.usable && performance.now() - Math.max(window.seen.usable, window.seen.busyUntil) > 1000,
  );
  const seen = await page.evaluate(() => window.seen);
  const layer = name === "notifications";
  if (layer) {
    await page.getByRole("button", { name: /^Notifications/ }).click();
    await page.getByRole("list", { name: "What happened" }).waitFor();
  }
  // Processor time of the page's main thread says what a frame costs, also on a machine that does other things.
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name: one }) => one === "TaskDuration").value * 1000;
  };
  const before = await busy();
  const times = (await page.evaluate(frames, [SECONDS, layer])).toSorted((a, b) => a - b);
  const cost = ((await busy()) - before) / times.length;
  const at = (share) => times[Math.floor(times.length * share)];
  const drawn = await page.locator(layer ? "[role=dialog] li" : "main :is(tbody tr, li[data-row])").count();
  const p95 = at(0.95);
  slow ||= cost > FRAME_MS;
  console.log(
    `${name}: ${count}, usable after ${Math.round(Math.max(seen.usable, seen.busyUntil))} ms, longest task ${Math.round(seen.longest)} ms, ` +
      `${drawn} rows drawn, scrolling: ${cost.toFixed(1)} ms of processor time a frame, ${(times.length / SECONDS).toFixed(1)} fps, p95 ${p95.toFixed(1)} ms, longest ${Math.round(times.at(-1))} ms`,
  );
  await context.close();
  await mock.close();
}
if (!only || only.includes("agent picker")) await picker();
await browser.close();
process.exitCode = slow ? 1 : 0;
