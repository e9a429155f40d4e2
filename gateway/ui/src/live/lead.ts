// Which tab of a browser holds the one event stream: an election among tabs by messages, as a state machine without a clock
// or a channel of its own. HTTP/1.1 gives an origin six connections; six tabs with a stream each would leave none for requests.

/** Orders claims: who leads longer stays; the id decides between two that began in the same millisecond. */
export interface Claim {
  since: number;
  id: string;
}

export type Word<E> =
  | { k: "who" }
  | { k: "lead"; claim: Claim; state: unknown; last: string | undefined }
  | { k: "event"; claim: Claim; event: E }
  | { k: "reset"; claim: Claim }
  | { k: "bye"; claim: Claim };

/** True when `a` leads over `b`. */
export const before = (a: Claim, b: Claim) => (a.since === b.since ? a.id < b.id : a.since < b.since);

/** Whether an event id is one already had. Ids are `<epoch>.<sequence>`; another epoch is never old. */
export function had(id: string | undefined, last: string | undefined): boolean {
  const [epoch, seq] = (id ?? "").split(".");
  const [known, newest] = (last ?? "").split(".");
  return seq !== undefined && epoch === known && Number(seq) <= Number(newest);
}

/** How long a newcomer waits for somebody who leads. */
export const ASK_MS = 100;
/** A leader that says nothing for so long is asked; it speaks at least with each beat of the gateway, every 10 s. */
export const QUIET_MS = 12_000;
/** How often followers look whether their leader has become quiet. */
export const LOOK_MS = 4_000;
