import { gatewayNow } from "~/api/clock";
import { useEffect, useRef, useState } from "react";
import { asProblem, type Problem } from "~/api/problem";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { ProblemNote } from "~/ui/problem";
import { Status } from "~/ui/status";
import { clockTime } from "~/ui/time";
import { checkPage, NO_FINDINGS, pages, type Findings } from "./log-pages";
import { sentence, who } from "~/ui/audit-words";

interface Check {
  found: Findings;
  /** Absent while it runs. */
  at?: number;
}

const some = (count: number) => (count === 1 ? "1 entry" : `${number(count)} entries`);

function Result({ found, at }: Required<Check>) {
  const wrong = [...found.changed, ...found.disordered];
  return (
    <div className="flex flex-col gap-2">
      {wrong.length === 0 ? (
        <Status
          tone="done"
          word={`Verified: ${some(found.entries - found.unlinked)} intact (${clockTime(at)})`}
        />
      ) : (
        <Status
          tone="failed"
          word={`${number(wrong.length)} of ${some(found.entries)} changed after linking`}
        />
      )}
      {found.unlinked > 0 && <p className="text-fg-2">{some(found.unlinked)} too new to be linked yet.</p>}
      {wrong.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-4">
          {wrong.slice(0, 20).map((entry) => (
            <li key={entry.id}>
              Link {entry.link?.position}:{" "}
              <bdi>{`${who(entry)} ${sentence(entry).join("")}`.slice(0, 200)}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Reads the whole log and compares each entry with what the chain holds of it. */
export function VerifyChain() {
  const [check, setCheck] = useState<Check>();
  const [problem, setProblem] = useState<Problem>();
  const over = useRef<AbortController>(undefined);
  useEffect(() => () => over.current?.abort(), []);
  const run = async () => {
    over.current = new AbortController();
    setProblem(undefined);
    let found = NO_FINDINGS;
    let last = Number.POSITIVE_INFINITY;
    setCheck({ found });
    try {
      for await (const page of pages({}, over.current.signal)) {
        [found, last] = checkPage(found, page, last);
        setCheck({ found });
      }
      setCheck({ found, at: gatewayNow() });
    } catch (error) {
      setCheck(undefined);
      if (!over.current.signal.aborted) setProblem(asProblem(error));
    }
  };
  const running = check !== undefined && check.at === undefined;
  return (
    <div className="flex flex-col items-start gap-3 border-t border-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={running} onClick={() => void run()}>
          Verify the chain
        </Button>
        {running && <Button onClick={() => over.current?.abort()}>Stop</Button>}
        <span role="status">{running && `${some(check.found.entries)} read`}</span>
      </div>
      {check?.at !== undefined && <Result found={check.found} at={check.at} />}
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}
