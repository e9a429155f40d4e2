// The code host of `make demo`: git's own HTTP server over bare repositories, the part of Forgejo's API that Roost uses,
// and a page for each pull request. It listens on loopback only, and each request of git and of the API needs the token.
//
//   node code-host.mjs --port 7680 --folder FOLDER --token-file FILE
//
// FOLDER has the repositories as `owner/name.git`, and the pull requests as `pulls.json`.
import { spawn } from "node:child_process";
import { timingSafeEqual } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { port: { type: "string" }, folder: { type: "string" }, "token-file": { type: "string" } },
});
const { folder } = values;
const token = readFileSync(values["token-file"], "utf8").trim();
const origin = `http://127.0.0.1:${values.port}`;
const pullsFile = join(folder, "pulls.json");
const pulls = existsSync(pullsFile) ? JSON.parse(readFileSync(pullsFile, "utf8")) : [];
const MOST_BODY = 1 << 20;

function keep() {
  writeFileSync(`${pullsFile}.new`, JSON.stringify(pulls, null, 2));
  renameSync(`${pullsFile}.new`, pullsFile);
}

/** The names of all repositories, such as `demo/durations`. */
function repositories() {
  const owners = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return owners.flatMap(({ name: owner }) =>
    readdirSync(join(folder, owner))
      .filter((name) => name.endsWith(".git"))
      .map((name) => `${owner}/${name.slice(0, -".git".length)}`),
  );
}

function same(a, b) {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Git sends the token as a password, and Roost sends it in Forgejo's own header. */
function isLetIn(authorization = "") {
  const [scheme, value = ""] = authorization.split(" ");
  if (scheme.toLowerCase() === "token") return same(value, token);
  if (scheme.toLowerCase() !== "basic") return false;
  const pair = Buffer.from(value, "base64").toString();
  return same(pair.slice(pair.indexOf(":") + 1), token);
}

function git(name, ...args) {
  return new Promise((resolve) => {
    const env = { ...process.env, GIT_DIR: join(folder, `${name}.git`), GIT_CONFIG_GLOBAL: "/dev/null" };
    const child = spawn("git", args, { env, stdio: ["ignore", "pipe", "ignore"] });
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? Buffer.concat(parts).toString() : undefined));
  });
}

const hasBranch = async (name, branch) =>
  (await git(name, "rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`)) !== undefined;

function body(request) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let size = 0;
    request.on("data", (part) => {
      size += part.length;
      if (size > MOST_BODY) request.destroy(new Error("too long"));
      parts.push(part);
    });
    request.on("error", reject);
    request.on("end", () => resolve(Buffer.concat(parts).toString()));
  });
}

function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Runs git's CGI program. */
function backend(request, response, url) {
  const header = (name) => request.headers[name] ?? "";
  const env = {
    PATH: process.env.PATH,
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    REQUEST_METHOD: request.method,
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: header("content-type"),
    CONTENT_LENGTH: header("content-length"),
    HTTP_CONTENT_ENCODING: header("content-encoding"),
    GIT_PROTOCOL: header("git-protocol"),
    REMOTE_USER: "roost",
  };
  const child = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "inherit"] });
  request.pipe(child.stdin);
  // It may end before it has read everything.
  child.stdin.on("error", () => {});
  let head = Buffer.alloc(0);
  const begin = (part) => {
    head = Buffer.concat([head, part]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    child.stdout.off("data", begin);
    let status = 200;
    for (const line of head.subarray(0, end).toString().split("\r\n")) {
      const [name, ...value] = line.split(": ");
      if (name.toLowerCase() === "status") status = Number.parseInt(value[0], 10);
      else response.setHeader(name, value.join(": "));
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on("data", begin);
  child.on("error", () => response.destroy());
  child.on("close", () => response.end());
}

const described = (name, id) => ({
  id,
  name: name.split("/").at(-1),
  full_name: name,
  private: true,
  fork: false,
  archived: false,
  description: "The demonstration's repository",
  language: "Rust",
  default_branch: "main",
  html_url: `${origin}/${name}`,
  clone_url: `${origin}/${name}.git`,
  updated_at: new Date(0).toISOString(),
});

/** Opens a pull request as Forgejo does: both branches exist, and there is one from a branch into another at a time. */
async function open(request, response, name) {
  let asked;
  try {
    asked = JSON.parse(await body(request));
  } catch {
    return json(response, 422, { message: "the body is not JSON" });
  }
  const { title, head, base, body: words = "" } = asked;
  if (![title, head, base].every((text) => typeof text === "string" && text))
    return json(response, 422, { message: "title, head and base are needed" });
  for (const branch of [head, base])
    if (!(await hasBranch(name, branch))) return json(response, 404, { message: `there is no branch ${branch}` });
  if (pulls.some((pull) => pull.repository === name && pull.head === head && pull.base === base))
    return json(response, 409, { message: "pull request already exists for these targets" });
  const number = pulls.filter((pull) => pull.repository === name).length + 1;
  const pull = { repository: name, number, title, body: words, head, base, created_at: new Date().toISOString() };
  pull.html_url = `${origin}/${name}/pulls/${number}`;
  pulls.push(pull);
  keep();
  return json(response, 201, pull);
}

const text = (value) =>
  String(value).replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
pre{overflow:auto;padding:1rem;border:1px solid #8885;border-radius:6px}.add{color:#1a7f37}.del{color:#cf222e}small{opacity:.7}`;

async function page(response, name, number) {
  const pull = pulls.find((pull) => pull.repository === name && pull.number === number);
  if (!pull) return json(response, 404, { message: "there is no such pull request" });
  const range = `refs/heads/${pull.base}...refs/heads/${pull.head}`;
  const commits = (await git(name, "log", "--format=%h %s", range.replace("...", ".."))) ?? "";
  const diff = (await git(name, "diff", "--no-color", "--no-ext-diff", range)) ?? "";
  const lines = diff.split("\n").map((line) => {
    const kind = /^\+(?!\+\+)/.test(line) ? "add" : /^-(?!--)/.test(line) ? "del" : "";
    return `<span class="${kind}">${text(line)}</span>`;
  });
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>${text(pull.title)}</title><style>${STYLE}</style>
<h1>${text(pull.title)} <small>#${number}</small></h1>
<p><small>${text(name)}: ${text(pull.head)} into ${text(pull.base)}</small></p>
<pre>${text(pull.body)}</pre><h2>Commits</h2><pre>${text(commits)}</pre><h2>Changes</h2><pre>${lines.join("\n")}</pre></html>`);
}

async function answer(request, response) {
  const url = new URL(request.url, origin);
  const shown = /^\/([\w.-]+\/[\w.-]+)\/pulls\/(\d+)$/.exec(url.pathname);
  // Who can read the page is on this machine already, as is the demonstration's source.
  if (request.method === "GET" && shown) return page(response, shown[1], Number(shown[2]));
  if (!isLetIn(request.headers.authorization)) {
    response.setHeader("www-authenticate", 'Basic realm="code host"');
    return json(response, 401, { message: "the token is missing or wrong" });
  }
  if (/^\/[\w.-]+\/[\w.-]+\.git\//.test(url.pathname)) return backend(request, response, url);
  const ofPulls = /^\/api\/v1\/repos\/([\w.-]+\/[\w.-]+)\/pulls$/.exec(url.pathname);
  if (ofPulls && !repositories().includes(ofPulls[1])) return json(response, 404, { message: "no such repository" });
  if (ofPulls && request.method === "POST") return open(request, response, ofPulls[1]);
  if (ofPulls) return json(response, 200, pulls.filter((pull) => pull.repository === ofPulls[1]));
  if (url.pathname === "/api/v1/user/repos")
    return json(response, 200, Number(url.searchParams.get("page") ?? 1) > 1 ? [] : repositories().map((name, at) => described(name, at + 1)));
  return json(response, 404, { message: "there is nothing here" });
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else json(response, 500, { message: "the demonstration's code host failed; its log says why" });
  });
});
server.listen(Number(values.port), "127.0.0.1", () => console.log(`the code host is at ${origin}`));
