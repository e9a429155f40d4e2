// What a command wrote, as the screen of a terminal shows it.
import { memo, type RefObject } from "react";
import type { Owner } from "~/api/sandboxes";
import { ProblemNote } from "~/ui/problem";
import { useOutput, type Output } from "./outputs";
import type { Block } from "./screen";

const OutputBlock = memo(function OutputBlock({ block }: { block: Block }) {
  return (
    <>
      {block.runs.map(({ text, look, colour }, index) =>
        look || colour ? (
          // Runs of a block keep their places.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index} className={look} {...(colour ? { style: { color: colour } } : {})}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
});

interface Props {
  output: Output;
  place?: RefObject<HTMLPreElement | null>;
}

export function OutputText({ output, place }: Props) {
  return (
    <>
      {output.dropped > 0 && (
        <p className="mt-1 text-small text-fg-3">
          The page does not show the first {output.dropped.toLocaleString("en")} lines, so that it stays fast.
          A download has them.
        </p>
      )}
      {output.blocks.length > 0 && (
        <pre
          ref={place}
          className="mt-1 pl-4 font-mono text-[12px] leading-[18px] break-all whitespace-pre-wrap text-fg-2"
        >
          {output.blocks.map((block) => (
            <OutputBlock key={block.id} block={block} />
          ))}
        </pre>
      )}
      {output.exit?.truncated && (
        <p className="mt-1 text-small text-waiting">
          The output was longer than the limit. The rest was not kept.
        </p>
      )}
    </>
  );
}

const ignore = () => undefined;

/** The output of one command alone, read when it is shown. */
export function CommandOutput({ owner, op }: { owner: Owner; op: string }) {
  const output = useOutput(owner, op, true, ignore);
  const empty = output.exit !== undefined && output.blocks.length === 0;
  return (
    <div
      className="mt-1 max-h-80 overflow-auto rounded-control bg-sunken py-1.5 pr-3"
      tabIndex={0}
      role="region"
      aria-label="Output"
    >
      {empty && <p className="px-4 text-small text-fg-3">It wrote nothing.</p>}
      {!empty && output.blocks.length === 0 && !output.problem && (
        <p className="px-4 text-small text-fg-3">Reading…</p>
      )}
      <OutputText output={output} />
      {output.problem && <ProblemNote problem={output.problem} className="mx-3" />}
    </div>
  );
}
