import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem, Problem } from "~/api/problem";
import type { Me } from "~/api/types";
import { Button } from "~/ui/button";
import { Avatar } from "~/ui/person";
import { ProblemNote } from "~/ui/problem";
import { pictureOf, refusalOf, TYPES } from "./picture";

const refused = (detail: string) =>
  new Problem({ code: "validation", status: 400, title: "This picture is not accepted", detail });

/** The person's picture: chosen, looked at, then sent; or removed. */
export function PictureChoice({ me }: { me: Me }) {
  const client = useQueryClient();
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
      await client.invalidateQueries({ queryKey: keys.me });
      await client.invalidateQueries({ queryKey: keys.members(me.workspace.id) });
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
  const send = (blob: Blob) =>
    run(async () =>
      api.put("/api/auth/me/avatar", {
        body: new Uint8Array(await blob.arrayBuffer()),
        contentType: blob.type,
      }),
    );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        {chosen ? (
          <img
            src={chosen.url}
            alt="Preview"
            width={64}
            height={64}
            className="size-16 rounded-full object-cover"
          />
        ) : (
          <Avatar user={me.user} className="size-16 text-head-1" />
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
            <Button look="primary" busy={busy} onClick={() => void send(chosen.blob)}>
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
            {me.user.avatar && (
              <Button disabled={busy} onClick={() => void run(() => api.delete("/api/auth/me/avatar"))}>
                Remove it
              </Button>
            )}
          </>
        )}
      </div>
      <p className="text-small text-fg-3">
        PNG, JPEG or WebP. The middle of it is used. Members of your workspaces see it.
      </p>
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}
