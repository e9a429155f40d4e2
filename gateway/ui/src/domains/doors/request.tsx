import type { Door, DoorAction } from "~/api/doors";
import { visible } from "~/ui/visible";
import { ForeignText } from "./foreign-text";
import { asText, described, ordered } from "./words";

function Param({
  name,
  value,
  title,
  whole,
}: {
  name: string;
  value: unknown;
  title: string | undefined;
  whole: boolean;
}) {
  return (
    <div className="contents max-sm:block">
      <dt className="min-w-0 text-small text-fg-2 max-sm:mt-2">
        <bdi className="font-mono break-all">{visible(name)}</bdi>
        {title && title !== name && <span className="block text-fg-3">{title}</span>}
      </dt>
      <dd className="min-w-0">
        <ForeignText text={asText(value)} whole={whole} what={visible(name)} />
      </dd>
    </div>
  );
}

/** What the catalogue says of a parameter. */
const about = (known: { title?: string; description?: string } | undefined) =>
  known?.title ?? known?.description;

interface Props {
  door: Door;
  action: DoorAction | undefined;
  /** Nothing is folded: before it is approved, everything must have been on screen. */
  whole?: boolean;
}

/** Everything that the agent wrote of what it asks for, marked as the agent's. */
export function Request({ door, action, whole = false }: Props) {
  const params = ordered(door.params, action?.params_schema);
  const known = described(action?.params_schema);
  return (
    <figure className="min-w-0 rounded-control border border-dashed border-waiting/60 bg-canvas">
      <figcaption className="border-b border-dashed border-waiting/60 px-3 py-1 text-small text-waiting">
        Written by the agent. Nobody has checked it, and it may quote what others wrote to it.
      </figcaption>
      <div className="flex flex-col gap-3 px-3 py-2">
        <div>
          <span className="block text-small text-fg-3">In short</span>
          <ForeignText text={door.summary} whole={whole} what="it in short" />
        </div>
        {door.words && (
          <div>
            <span className="block text-small text-fg-3">What it said</span>
            <ForeignText text={door.words} whole={whole} what="what it said" />
          </div>
        )}
        {params.length === 0 ? (
          <p className="text-small text-fg-3">It gives nothing else.</p>
        ) : (
          <dl className="grid gap-x-4 gap-y-2 max-sm:block sm:grid-cols-[minmax(80px,180px)_1fr]">
            {params.map(([name, value]) => (
              <Param key={name} name={name} value={value} title={about(known.get(name))} whole={whole} />
            ))}
          </dl>
        )}
      </div>
    </figure>
  );
}
