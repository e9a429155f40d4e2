// How fresh the page is: whether the one event stream of this tab is connected.
import { create } from "zustand";

export type LinkState = "connecting" | "live" | "reconnecting" | "stale";

interface Link {
  state: LinkState;
  /** Attempt number while reconnecting, 0 otherwise. */
  attempt: number;
  /** Since when the stream has been lost, in ms since the epoch. */
  lostAt: number | undefined;
  /** True for three seconds after the page has caught up. */
  caughtUp: boolean;
}

export const useLink = create<Link>(() => ({
  state: "connecting",
  attempt: 0,
  lostAt: undefined,
  caughtUp: false,
}));

/** How long a loss may last before it is told. */
export const TELL_AFTER_MS = 3000;

function sayCaughtUp() {
  useLink.setState({ caughtUp: true });
  clearTimeout(caughtUpTimer);
  caughtUpTimer = setTimeout(() => useLink.setState({ caughtUp: false }), 3000);
}

let caughtUpTimer: ReturnType<typeof setTimeout> | undefined;

export const link = {
  live() {
    const { lostAt } = useLink.getState();
    useLink.setState({ state: "live", attempt: 0, lostAt: undefined });
    // A gateway ends each stream every few minutes, and that is no news: only what was told to be lost is told to be back.
    if (lostAt !== undefined && Date.now() - lostAt >= TELL_AFTER_MS) sayCaughtUp();
  },
  /** The gateway no longer has what was missed; everything is read anew. */
  incomplete: sayCaughtUp,
  lost(attempt: number, now: number) {
    const lostAt = useLink.getState().lostAt ?? now;
    useLink.setState({
      state: now - lostAt > 60_000 ? "stale" : "reconnecting",
      attempt,
      lostAt,
      caughtUp: false,
    });
  },
  closed() {
    useLink.setState({ state: "connecting", attempt: 0, lostAt: undefined, caughtUp: false });
  },
};
