import { useQuery } from "@tanstack/react-query";
import type { AuditEntry } from "~/api/types";
import { CopyText } from "~/ui/copy";
import { Fold } from "~/ui/fold";
import { Facts } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { chainQuery } from "./queries";
import { VerifyChain } from "./verify";
import { words } from "~/ui/audit-words";

/** How the log stands in the hash chain, and whether the rows on screen fit their links. */
export function ChainState({ shown }: { shown: AuditEntry[] }) {
  const chain = useQuery(chainQuery);
  const broken = shown.filter((entry) => entry.link && !entry.link.intact).length;
  return (
    <Fold
      id="chain"
      title="Hash chain"
      summary={
        broken > 0 ? (
          <Status tone="failed" word={`${broken} ${broken === 1 ? "entry does" : "entries do"} not fit`} />
        ) : chain.data && chain.data.waiting > 0 ? (
          <Status tone="moving" word={`${chain.data.waiting} being linked`} />
        ) : (
          chain.data && <Status tone="done" word="All entries linked" />
        )
      }
    >
      {chain.isPending && <Loading what="the chain" rows={2} />}
      {chain.isError && !chain.data && <Failed error={chain.error} retry={() => void chain.refetch()} />}
      <Stale query={chain} className="m-4" />
      {chain.data && (
        <Facts
          items={[
            ["Entries", chain.data.entries.toLocaleString("en")],
            [
              "Ends at",
              chain.data.end ? (
                <CopyText
                  key="end"
                  text={`${chain.data.end.position}:${chain.data.end.sha256}`}
                  what="end of the chain"
                />
              ) : (
                "nothing is linked yet"
              ),
            ],
          ]}
        />
      )}
      <VerifyChain />
      <p className="border-t border-line px-4 py-2 text-small text-fg-3">
        {words.chain} <code className="font-mono text-small">roost audit verify</code>.
      </p>
    </Fold>
  );
}
