// One stream for all tabs: this tab either holds it and passes everything on, or follows the tab that does.
import { useLink } from "./link";
import { ASK_MS, before, had, LOOK_MS, QUIET_MS, type Claim, type Word } from "./lead";
import { openStream, type LiveEvent, type Stream } from "./stream";

export interface Channel {
  post(word: Word<LiveEvent>): void;
  listen(call: (word: Word<LiveEvent>) => void): void;
  close(): void;
}

/** A channel between the tabs of this browser, or none where the browser has no such thing. */
export function tabChannel(name: string): Channel | undefined {
  if (typeof BroadcastChannel === "undefined") return undefined;
  const channel = new BroadcastChannel(name);
  return {
    post: (word) => channel.postMessage(word),
    listen: (call) =>
      channel.addEventListener("message", (event: MessageEvent<Word<LiveEvent>>) => call(event.data)),
    close: () => channel.close(),
  };
}

interface Hears {
  /** `leading`: this tab holds the stream, so whatever should happen once a browser happens here. */
  onEvent: (event: LiveEvent, leading: boolean) => void;
  onReset: () => void;
  onRefused?: () => void;
}

/** `open` makes the real stream; tests give another one. */
export function openShared(between: Channel | undefined, hears: Hears, open = openStream): Stream {
  const { onRefused } = hears;
  const refused = onRefused ? { onRefused } : {};
  if (!between)
    return open({ onEvent: (event) => hears.onEvent(event, true), onReset: hears.onReset, ...refused });
  const channel = between;
  const id = Math.random().toString(36).slice(2);
  let own: { claim: Claim; stream: Stream } | undefined;
  let leader: Claim | undefined;
  let heardAt = Date.now();
  let last: string | undefined;
  let asking: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  const announce = () =>
    own && channel.post({ k: "lead", claim: own.claim, state: useLink.getState(), last });

  function take(event: LiveEvent, leading: boolean) {
    if (event.id !== undefined) {
      if (had(event.id, last)) return;
      last = event.id;
    }
    hears.onEvent(event, leading);
  }

  function lead() {
    if (own || closed) return;
    leader = undefined;
    const claim = { since: Date.now(), id };
    const stream = open(
      {
        onEvent: (event) => {
          channel.post({ k: "event", claim, event });
          take(event, true);
        },
        onReset: () => {
          last = undefined;
          channel.post({ k: "reset", claim });
          hears.onReset();
        },
        ...refused,
      },
      last,
    );
    own = { claim, stream };
    announce();
  }

  /** Another tab leads; the stream of this one, if it has one, is not needed. */
  function follow(claim: Claim) {
    const stream = own?.stream;
    own = undefined;
    stream?.close();
    leader = claim;
    heardAt = Date.now();
    clearTimeout(asking);
    asking = undefined;
  }

  /** Asks who leads; when nobody says so in time, this tab does. */
  function ask() {
    if (own || asking !== undefined || closed) return;
    channel.post({ k: "who" });
    asking = setTimeout(
      () => {
        asking = undefined;
        lead();
      },
      // Many tabs ask at the same moment when their leader is closed; one of them should be first.
      ASK_MS * (1 + Math.random()),
    );
  }

  channel.listen((word) => {
    if (closed) return;
    if (word.k === "who") return announce();
    if (word.k === "bye") {
      if (leader?.id === word.claim.id) ask();
      return;
    }
    const known = leader?.id === word.claim.id;
    if (own) {
      if (before(own.claim, word.claim)) return announce();
      follow(word.claim);
    } else if (
      leader &&
      leader.id !== word.claim.id &&
      before(leader, word.claim) &&
      Date.now() - heardAt < QUIET_MS
    ) {
      return;
    } else follow(word.claim);
    if (word.k === "lead") {
      useLink.setState(word.state as ReturnType<typeof useLink.getState>);
      // The leader is further than this tab, or begins anew: what is between would be missing here.
      if (last !== undefined && !had(word.last, last)) {
        last = undefined;
        hears.onReset();
      }
      last ??= word.last;
      return;
    }
    if (!known) channel.post({ k: "who" });
    if (word.k === "event") take(word.event, false);
    else {
      last = undefined;
      hears.onReset();
    }
  });

  const look = () => {
    if (!own && Date.now() - heardAt > QUIET_MS) ask();
  };
  const watch = setInterval(look, LOOK_MS);
  const unlink = useLink.subscribe((now, was) => {
    if (now.state !== was.state || now.attempt !== was.attempt || now.caughtUp !== was.caughtUp) announce();
  });
  const seen = () => {
    if (document.visibilityState === "visible") look();
  };
  /** Closed, or put aside by the browser: another tab goes on. */
  const leave = () => {
    if (!own) return;
    const { claim, stream } = own;
    own = undefined;
    stream.close();
    channel.post({ k: "bye", claim });
  };
  const back = (event: PageTransitionEvent) => {
    if (event.persisted) ask();
  };
  document.addEventListener("visibilitychange", seen);
  globalThis.addEventListener("pagehide", leave);
  globalThis.addEventListener("pageshow", back);
  ask();
  return {
    close() {
      leave();
      closed = true;
      unlink();
      clearInterval(watch);
      clearTimeout(asking);
      document.removeEventListener("visibilitychange", seen);
      globalThis.removeEventListener("pagehide", leave);
      globalThis.removeEventListener("pageshow", back);
      channel.close();
    },
  };
}
