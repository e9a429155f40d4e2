// When effects run: before the browser delivers the next event, as with React. Preact would wait for the next frame. A form that
// is sent right after the last letter would then send what it held before, because a mutation gets its new function in an
// effect. A tab in the background has no frames: timers take their place, and a browser lets them run once a minute.
import { options } from "preact";

options.requestAnimationFrame = queueMicrotask;
