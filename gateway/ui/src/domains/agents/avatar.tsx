import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem, Problem } from "~/api/problem";
import type { Claw } from "~/api/types";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { ProblemNote } from "~/ui/problem";

const TYPES = ["image/png", "image/jpeg", "image/webp"];
const MOST_BYTES = 1 << 20;

/** What the agent looks like. Beside its name it says nothing more, so it has no words of its own. */
export function AvatarImage({ claw, className }: { claw: Claw; className?: string }) {
  return (
    <img
      src={claw.avatar.url}
      alt=""
      width={64}
      height={64}
      loading="lazy"
      decoding="async"
      className={cx("shrink-0 rounded-control bg-sunken object-cover", className)}
    />
  );
}

function refusal(file: File): Problem | undefined {
  const why = !TYPES.includes(file.type)
    ? "Choose a PNG, JPEG or WebP. An SVG is not accepted, because it can contain scripts."
    : file.size > MOST_BYTES
      ? "The picture may have at most 1 MiB."
      : undefined;
  return why === undefined
    ? undefined
    : new Problem({ code: "validation", status: 400, title: "This picture is not accepted", detail: why });
}

/** Choosing another picture, or going back to the drawn one. */
export function AvatarChoice({ claw }: { claw: Claw }) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      await client.invalidateQueries({ queryKey: keys.claws });
    } catch (thrown) {
      setProblem(asProblem(thrown));
    } finally {
      setBusy(false);
    }
  };
  const upload = (file: File) => {
    const refused = refusal(file);
    if (refused) return setProblem(refused);
    return void run(async () =>
      api.put("/api/claws/{id}/avatar", {
        path: { id: claw.id },
        body: new Uint8Array(await file.arrayBuffer()),
        contentType: file.type,
      }),
    );
  };
  return (
    <div className="flex flex-col gap-2 border-t border-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-3">
        <AvatarImage claw={claw} className="size-12" />
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
            if (file) upload(file);
          }}
        />
        <Button busy={busy} onClick={() => input.current?.click()}>
          Choose a picture
        </Button>
        {claw.avatar.uploaded && (
          <Button
            disabled={busy}
            onClick={() => void run(() => api.delete("/api/claws/{id}/avatar", { path: { id: claw.id } }))}
          >
            Use the drawn one
          </Button>
        )}
      </div>
      <p className="text-small text-fg-3">PNG, JPEG or WebP of at most 1 MiB. Only its pixels are kept.</p>
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}
