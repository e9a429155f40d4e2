// Two states of a form, field by field.

/** The text of a value, whatever the order of its keys. An absent key and one without a value are the same. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, one: unknown) =>
    one && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(
          Object.entries(one)
            .filter(([, each]) => each !== null && each !== undefined)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : one,
  );

export const same = (a: unknown, b: unknown) => textOf(a) === textOf(b);

/** The fields that are not the same in both. */
export const changedIn = <D extends object>(before: D, after: D): (keyof D)[] =>
  (Object.keys(after) as (keyof D)[]).filter((key) => !same(before[key], after[key]));

/** What I changed, over what somebody else saved: a field that I left alone is as they saved it. */
export const mineOver = <D extends object>(was: D, theirs: D, mine: D): D => ({
  ...theirs,
  ...Object.fromEntries(changedIn(was, mine).map((key) => [key, mine[key]])),
});

/** Only the fields of a draft that are to be changed. */
export const onlyChanged = <D extends object>(before: D, after: D): Partial<D> =>
  Object.fromEntries(changedIn(before, after).map((key) => [key, after[key]])) as Partial<D>;
