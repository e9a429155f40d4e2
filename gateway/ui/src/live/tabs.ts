// What tabs of one browser tell each other about the sign-in that they share.
export type Told = { says: "workspace" };

const NAME = "roost-session-1";

/** Tells every other tab of this browser. Without BroadcastChannel there is nobody to tell. */
export function tellTabs(told: Told) {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(told);
  channel.close();
}

export function onTold(call: (told: Told) => void): () => void {
  if (typeof BroadcastChannel === "undefined") return () => undefined;
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener("message", (event: MessageEvent<Told>) => call(event.data));
  return () => channel.close();
}
