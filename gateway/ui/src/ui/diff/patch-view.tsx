import { useMemo } from "react";
import { cx } from "~/ui/class";
import { visible } from "~/ui/visible";
import { patchFiles, type PatchKind } from "./patch";

const LOOKS: Record<PatchKind, { sign: string; said: string; look: string }> = {
  same: { sign: " ", said: "", look: "text-fg-2" },
  added: { sign: "+", said: "added: ", look: "text-done" },
  removed: { sign: "-", said: "removed: ", look: "text-failed" },
  place: { sign: " ", said: "", look: "mt-1 text-fg-3" },
  note: { sign: " ", said: "", look: "text-fg-3" },
};

/** A diff as git writes it, file by file; told by sign, colour and, unseen, by word. */
export function PatchView({ text, label }: { text: string; label: string }) {
  const files = useMemo(() => patchFiles(text), [text]);
  if (files.length === 0) return <p className="px-4 py-3 text-fg-2">No file differs.</p>;
  return (
    // It scrolls, so it can be reached by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={label} tabIndex={0} className="max-h-[60vh] overflow-auto px-4 py-3">
      {files.map((file, at) => (
        // A path may come twice in a text that an agent made.
        <section key={at} aria-label={visible(file.path)} className="mb-4 last:mb-0">
          <h3 className="mb-1 font-mono text-small font-[550] break-all">
            <bdi>{visible(file.path)}</bdi>
          </h3>
          <ol className="font-mono text-small">
            {file.lines.map((line, index) => (
              <li key={index} className={cx("grid min-h-[1lh] grid-cols-[2ch_1fr]", LOOKS[line.kind].look)}>
                <span aria-hidden>{LOOKS[line.kind].sign}</span>
                <span className="min-w-0 break-words whitespace-pre-wrap">
                  <span className="sr-only">{LOOKS[line.kind].said}</span>
                  {visible(line.text)}
                </span>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}
