// Puts the page that was built here in front of a real gateway, whose program may have an older one inside.
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { serveFile } from "./mock/files.ts";

const GATEWAY = /^\/(api|dl|problems|healthz|readyz)(\/|$)/;

export async function startFront(gateway) {
  const { hostname: host, port } = new URL(gateway);
  const server = createServer((incoming, answer) => {
    const { pathname } = new URL(incoming.url, "http://front");
    if (!GATEWAY.test(pathname)) return serveFile(answer, pathname);
    const { method, headers, url: path } = incoming;
    const onward = request({ host, port, method, headers, path }, (back) => {
      answer.writeHead(back.statusCode, back.headers);
      back.pipe(answer);
    });
    onward.once("error", () => answer.destroy());
    answer.once("close", () => onward.destroy());
    return incoming.pipe(onward);
  });
  // The machine that joins by the line on the page comes this way, too.
  server.on("upgrade", ({ method, url, rawHeaders }, socket, head) => {
    const onward = connect(Number(port), host, () => {
      const lines = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${rawHeaders[at + 1]}`]));
      onward.write(`${method} ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ]) {
      one.once("error", () => other.destroy());
      one.once("close", () => other.destroy());
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
