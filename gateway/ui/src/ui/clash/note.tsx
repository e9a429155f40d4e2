import { useQuery } from "@tanstack/react-query";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import { Button } from "../button";
import { cx } from "../class";
import { DiffView } from "../diff/diff-view";
import { Ago } from "../time";
import { visible } from "../visible";
import type { Clash } from "./edit";
import { newestQuery } from "./newest";
import { changedIn, same } from "./same";

export interface NoteProps<D extends object> {
  clash: Clash<D>;
  /** What is edited: `agent`. */
  what: string;
  /** Its id in the audit log, which knows who changed it. */
  id?: string | undefined;
  /** Who changed it, where the page knows that by itself. */
  who?: { name: string; at?: string | undefined } | undefined;
  /** Each field as the form calls it. */
  labels: Record<keyof D, string>;
  /** A value in words. */
  words?: ((key: keyof D, of: D) => string) | undefined;
  busy?: boolean;
  /** Absent in a form: its submit does it. */
  onMine?: (() => void) | undefined;
  onTheirs: () => void;
  className?: string;
}

/** Who made the last change: from the audit log, where the person may read it. */
function Author({ what, id, who }: Pick<NoteProps<object>, "what" | "id" | "who">) {
  const reads = useMay()("audit.read");
  const { data: me } = useQuery(meQuery);
  const { data: last } = useQuery({ ...newestQuery(id ?? ""), enabled: reads && id !== undefined && !who });
  const own = last !== undefined && last?.actor === me?.user.id;
  const name = who?.name ?? (last?.by ? last.by.name || last.by.email : undefined);
  const at = who?.at ?? last?.at;
  return (
    <p className="font-[550]">
      {own ? (
        `You changed this ${what} in another window`
      ) : (
        <>
          <bdi>{name ? visible(name) : "Somebody else"}</bdi> changed this {what} meanwhile
        </>
      )}
      {at && (
        <span className="font-normal text-fg-2">
          {" "}
          (<Ago at={at} />)
        </span>
      )}
    </p>
  );
}

const LONG = 160;

/** One field: theirs beside mine. A long text shows its lines that differ. */
function Row({
  name,
  theirs,
  mine,
  touched,
}: {
  name: string;
  theirs: string;
  mine: string;
  touched: boolean;
}) {
  const long = `${theirs}${mine}`.length > LONG || /\n/.test(theirs) || /\n/.test(mine);
  return (
    <div className="border-t border-line pt-2">
      <h4 className="text-small font-[550] text-fg-2">
        {name}
        {!touched && <span className="font-normal"> (you did not change it, so theirs stays)</span>}
      </h4>
      {long && touched ? (
        <>
          <p className="text-small text-fg-2">Lines with − are theirs, lines with + are yours.</p>
          <div className="-mx-3">
            <DiffView before={theirs} after={mine} label={`${name}: theirs and yours`} />
          </div>
        </>
      ) : (
        <dl className={cx("mt-1 grid gap-x-4 gap-y-1", touched && "sm:grid-cols-2")}>
          <Value side="Theirs" text={theirs} />
          {touched && <Value side="Yours" text={mine} />}
        </dl>
      )}
    </div>
  );
}

const Value = ({ side, text }: { side: string; text: string }) => (
  <div className="min-w-0">
    <dt className="text-small text-fg-2">{side}</dt>
    <dd className="max-h-40 overflow-y-auto break-words whitespace-pre-wrap">
      {text === "" ? <span className="text-fg-2">empty</span> : <bdi>{visible(text)}</bdi>}
    </dd>
  </div>
);

const plain = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value as string | number);
};

/** What somebody else saved while this form was open, beside what was typed, and the choice between the two. */
export function ClashNote<D extends object>(props: NoteProps<D>) {
  const { clash, what, labels, words, busy, onMine, onTheirs, className } = props;
  const { was, theirs, mine } = clash;
  const say = words ?? ((key: keyof D, of: D) => plain(of[key]));
  const rows = changedIn(was, theirs).filter((key) => !same(theirs[key], mine[key]));
  const touched = changedIn(was, mine);
  const both = rows.some((key) => touched.includes(key));
  return (
    <div
      role="alert"
      className={cx(
        "flex flex-col gap-2 rounded-control border border-waiting/60 bg-waiting/8 px-3 py-2",
        className,
      )}
    >
      <div>
        <Author what={what} id={props.id} who={props.who} />
        <p className="text-fg-2">
          What you typed is kept and not saved yet.{" "}
          {!both && "You changed other fields, so both changes can stay."}
        </p>
      </div>
      {rows.map((key) => (
        <Row
          key={String(key)}
          name={labels[key]}
          theirs={say(key, theirs)}
          mine={say(key, mine)}
          touched={touched.includes(key)}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          busy={busy ?? false}
          {...(onMine ? { onClick: onMine } : { type: "submit" as const })}
        >
          {both ? "Save mine over it" : "Save mine too"}
        </Button>
        <Button onClick={onTheirs}>Take theirs</Button>
      </div>
    </div>
  );
}
