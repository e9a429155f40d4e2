// Names that tell apart: several things may have one name, or names that look alike.

/** The end of an id, as the command line writes it: it differs between ids that were made one after the other. */
const END = 8;

/** Letters of other scripts, each followed by the Latin letter that looks like it. */
const PAIRS =
  "аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwӏlԍgвBкkмMнHтTпnАAВBЕEЗ3ІIЈJКKМMНHОOРPСCТTУYХXЅSԌGԜW" +
  "αaοoιiνvρpυuκkχxγyεeηnωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXօoսuհhոnցgӀIǀIıi";
const letters = [...PAIRS];
const ALIKE = new Map(letters.flatMap((one, at) => (at % 2 === 0 ? [[one, letters[at + 1] ?? one]] : [])));
/** One stroke in most fonts. */
const STROKES = /[Il|]/g;

/** What a name looks like: two names with the same look are told apart by nobody. */
const lookOf = (name: string) =>
  [...name.normalize("NFKC")]
    .map((one) => ALIKE.get(one) ?? one)
    .join("")
    .replace(STROKES, "l");

type Things = Iterable<readonly [id: string, name: string]>;

/** The end of the id of each thing whose name looks like that of another one. */
export function ends(things: Things): Map<string, string> {
  const all = [...things].map(([id, name]) => [id, lookOf(name)] as const);
  const times = new Map<string, number>();
  for (const [, look] of all) times.set(look, (times.get(look) ?? 0) + 1);
  return new Map(
    all.flatMap(([id, look]) => ((times.get(look) ?? 0) > 1 ? [[id, id.slice(-END)] as const] : [])),
  );
}

/** The name of each thing by its id. One that looks like that of another thing is followed by the end of the id. */
export function apart(things: Things): Map<string, string> {
  const all = [...things];
  const marks = ends(all);
  return new Map(
    all.map(([id, name]) => {
      const end = marks.get(id);
      return [id, end === undefined ? name : `${name} (${end})`];
    }),
  );
}
