// The notices of one person in one workspace, kept in this browser and shared by its tabs.
import { create } from "zustand";
import {
  add,
  countNew,
  EMPTY,
  KEEP,
  merge,
  NOTHING,
  unread,
  type Kept,
  type Notice,
  type Standing,
} from "./model";

interface State extends Kept {
  /** What was added since the page was opened, for reading it out. */
  fresh: Notice[];
}

let key: string | undefined;

function read(): Kept {
  try {
    const stored: unknown = key && JSON.parse(localStorage.getItem(key) ?? "null");
    const { notices, standing, cleared, total } = (stored ?? {}) as Partial<Kept>;
    if (!Array.isArray(notices)) return EMPTY;
    return {
      // Another version of the page may have kept more.
      notices: notices.slice(0, KEEP),
      standing: { ...NOTHING, ...standing },
      cleared: Array.isArray(cleared) ? cleared : [],
      // An earlier version of the page counted none.
      total: Number.isFinite(total) ? total : notices.length,
    };
  } catch {
    return EMPTY;
  }
}

export const useNotices = create<State>(() => ({ ...EMPTY, fresh: [] }));

/** Takes up the notices of this person and workspace. */
export function openNotices(user: string, workspace: string) {
  key = `roost-notices:${user}:${workspace}`;
  useNotices.setState({ ...read(), fresh: [] });
}

function show(next: Kept) {
  const { notices: before } = useNotices.getState();
  const known = new Set(before.map(({ id }) => id));
  const fresh = next.notices.filter(({ id, read: seen }) => !known.has(id) && !seen);
  useNotices.setState((now) => ({ ...next, fresh: fresh.length > 0 ? [...now.fresh, ...fresh] : now.fresh }));
}

/** What is stored, with what this tab knows: another tab may have written over it. */
function known(): Kept {
  const { notices, standing, cleared, total } = useNotices.getState();
  return merge(read(), { notices, standing, cleared, total });
}

function keep(change: (now: Kept) => Kept) {
  const next = change(known());
  show(next);
  store(next);
}

/** Puts new ones to those that are known. */
const withNew = (now: Kept, fresh: Notice[]): Kept => ({
  ...now,
  notices: add(now.notices, fresh),
  total: (now.total ?? now.notices.length) + countNew(now.notices, fresh),
});

function store(next: Kept) {
  try {
    // Lists come every few seconds, and mostly nothing is new in them.
    const text = JSON.stringify(next);
    if (key && text !== localStorage.getItem(key)) localStorage.setItem(key, text);
  } catch {
    // Without storage they last as long as the page.
  }
}

export const notices = {
  add: (...fresh: Notice[]) => keep((now) => withNew(now, fresh)),
  /** Compares with how things stood, and remembers how they stand. */
  compare: (compare: (before: Standing) => [Notice[], Standing]) =>
    keep((now) => {
      const [fresh, standing] = compare(now.standing);
      return { ...withNew(now, fresh), standing };
    }),
  /** Requests that do not wait any more need no reading: they were decided, here or elsewhere. */
  settle: (waiting: ReadonlySet<string>) =>
    keep((now) => ({
      ...now,
      notices: now.notices.map((one) =>
        one.kind === "door-asked" && !one.read && !waiting.has(one.id) ? { ...one, read: true } : one,
      ),
    })),
  readAll: () => keep((now) => ({ ...now, notices: now.notices.map((one) => ({ ...one, read: true })) })),
  clear: () =>
    keep((now) => ({
      ...now,
      notices: [],
      total: 0,
      cleared: [...now.cleared, ...now.notices.map(({ id }) => id)],
    })),
  /** Hands over what has not been read out yet. */
  takeFresh: () => {
    const { fresh } = useNotices.getState();
    if (fresh.length > 0) useNotices.setState({ fresh: [] });
    return fresh;
  },
};

export const useUnread = () => useNotices((state) => unread(state.notices));

globalThis.addEventListener("storage", (event) => {
  if (key === undefined || event.key !== key) return;
  const next = known();
  show(next);
  // Puts back what the other tab wrote over. Nothing is stored where both know the same.
  store(next);
});
