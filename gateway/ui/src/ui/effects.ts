// When effects run: in a task of their own right after the page has changed, as with React. Preact would wait for the next
// frame, and a tab in the background has none: its timers take its place, and a browser lets them run once a minute.
import { options } from "preact";

const { port1, port2 } = new MessageChannel();
const due: (() => void)[] = [];
port1.addEventListener("message", () => {
  for (const run of due.splice(0)) run();
});
port1.start();
options.requestAnimationFrame = (run) => {
  due.push(run);
  port2.postMessage(undefined);
};
