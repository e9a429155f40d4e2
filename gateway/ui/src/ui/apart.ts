// Names that tell apart: teams, templates, missions and skills may have the name of another one.

/** The end of an id, as the command line writes it: it differs between ids that were made one after the other. */
const END = 8;

/** The name of each thing by its id. A name that several things have is followed by the end of the id. */
export function apart(things: Iterable<readonly [id: string, name: string]>): Map<string, string> {
  const all = [...things];
  const times = new Map<string, number>();
  for (const [, name] of all) times.set(name, (times.get(name) ?? 0) + 1);
  return new Map(
    all.map(([id, name]) => [id, (times.get(name) ?? 0) > 1 ? `${name} (${id.slice(-END)})` : name]),
  );
}
