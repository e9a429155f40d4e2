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

let caughtUpTimer: ReturnType<typeof setTimeout> | undefined;

export const link = {
  live() {
    const before = useLink.getState();
    const returned = before.lostAt !== undefined;
    useLink.setState({ state: "live", attempt: 0, lostAt: undefined, caughtUp: returned });
    if (!returned) return;
    clearTimeout(caughtUpTimer);
    caughtUpTimer = setTimeout(() => useLink.setState({ caughtUp: false }), 3000);
  },
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
