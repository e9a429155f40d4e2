// Choosing the picture of a person or of an agent.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { asProblem, Problem } from "~/api/problem";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { ProblemNote } from "~/ui/problem";
import { pictureOf, refusalOf, TYPES } from "./square";

const refused = (detail: string) =>
  new Problem({ code: "validation", status: 400, title: "This picture is not accepted", detail });

interface Props {
  /** What is shown now, 64 pixels wide. */
  now: ReactNode;
  round?: boolean;
  hint: string;
  send: (picture: { body: Uint8Array<ArrayBuffer>; contentType: string }) => Promise<unknown>;
  /** Taking an own picture back: what its button says, and what it does. */
  back: { label: string; run: () => Promise<unknown> } | undefined;
}

/** A picture is chosen, looked at, then sent; or taken back. */
export function PictureChoice({ now, round, hint, send, back }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<{ blob: Blob; url: string }>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => () => chosen && URL.revokeObjectURL(chosen.url), [chosen]);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      setChosen(undefined);
    } catch (thrown) {
      setProblem(asProblem(thrown));
    } finally {
      setBusy(false);
    }
  };
  const look = async (file: File) => {
    const why = refusalOf(file);
    setProblem(why ? refused(why) : undefined);
    if (why) return;
    try {
      const blob = await pictureOf(file);
      setChosen({ blob, url: URL.createObjectURL(blob) });
    } catch {
      setProblem(refused("The file cannot be read as a picture."));
    }
  };
  const use = (blob: Blob) =>
    run(async () => send({ body: new Uint8Array(await blob.arrayBuffer()), contentType: blob.type }));
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        {chosen ? (
          <img
            src={chosen.url}
            alt="Preview"
            width={64}
            height={64}
            className={cx("size-16 object-cover", round ? "rounded-full" : "rounded-control")}
          />
        ) : (
          now
        )}
        <input
          ref={input}
          type="file"
          accept={TYPES.join(",")}
          aria-label="Picture file"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            const file = event.target.files?.[0];
            event.target.value = "";
            if (file) void look(file);
          }}
        />
        {chosen ? (
          <>
            <Button look="primary" busy={busy} onClick={() => void use(chosen.blob)}>
              Use this picture
            </Button>
            <Button disabled={busy} onClick={() => setChosen(undefined)}>
              Cancel
            </Button>
          </>
        ) : (
          <>
            <Button busy={busy} onClick={() => input.current?.click()}>
              Choose a picture
            </Button>
            {back && (
              <Button disabled={busy} onClick={() => void run(back.run)}>
                {back.label}
              </Button>
            )}
          </>
        )}
      </div>
      <p className="text-small text-fg-3">{hint}</p>
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}
