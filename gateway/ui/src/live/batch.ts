// Gathers changes and applies them once a frame; while the tab is hidden only the newest per object is kept.

export interface Batch<T> {
  push(key: string, value: T): void;
  flush(): void;
}

/** `key` names the object; a later value for the same key replaces the earlier one, in the earlier one's place. */
export function makeBatch<T>(apply: (values: T[]) => void, schedule: (run: () => void) => void): Batch<T> {
  const waiting = new Map<string, T>();
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    if (waiting.size === 0) return;
    const values = [...waiting.values()];
    waiting.clear();
    apply(values);
  };
  return {
    push(key, value) {
      waiting.set(key, value);
      if (scheduled) return;
      scheduled = true;
      schedule(flush);
    },
    flush,
  };
}
