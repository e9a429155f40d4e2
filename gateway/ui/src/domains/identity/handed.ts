// The one-time login that an address has behind `#`, where no server and no log sees it. It is taken out of the address at
// once, so that neither a bookmark nor the history keeps it.

let handed: string | undefined;

export function takeOneTime(): string | undefined {
  const { hash, pathname, search } = globalThis.location;
  if (hash.length > 1) {
    handed = decodeURIComponent(hash.slice(1));
    history.replaceState(history.state, "", pathname + search);
  }
  return handed;
}

/** It works once. */
export function forgetOneTime(): void {
  handed = undefined;
}
