import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { QueryView } from "~/ui/query-view";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { Panel } from "~/ui/panel";
import { Ago, span, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { revoke, tokensOf, type AgentToken } from "./queries";
import { TokenDialog } from "./token-dialog";

function Line({ token, onRevoke }: { token: AgentToken; onRevoke: (() => void) | undefined }) {
  const left = Date.parse(token.expires_at) - useNow();
  return (
    <li
      data-row
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0"
    >
      <span className="min-w-0 flex-1 basis-48">
        <bdi className="font-[550] break-words">{visible(token.label)}</bdi>
        <span className="block text-small text-fg-3">
          created <Ago at={token.created_at} />, used <Ago at={token.last_used_at} never="never" />,{" "}
          {left > 0 ? `expires in ${span(left)}` : "expired"}
        </span>
      </span>
      {onRevoke && (
        <Button aria-label={`Revoke ${visible(token.label)}`} onClick={onRevoke}>
          Revoke
        </Button>
      )}
    </li>
  );
}

/** By what the agent's own programs call its tools. */
export function AgentTokens({ agent, name, writes }: { agent: string; name: string; writes: boolean }) {
  const tokens = useQuery(tokensOf(agent));
  const client = useQueryClient();
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<AgentToken>();
  return (
    <Panel title="Tokens" aside={writes && <Button onClick={() => setMaking(true)}>New token</Button>}>
      <QueryView query={tokens} what="its tokens" rows={2}>
        {(items) => (
          <>
            {items.length === 0 && (
              <p className="px-4 py-3 text-fg-2">
                No tokens yet. With a token, a program can call this agent's tools and nothing else.
              </p>
            )}
            <ul>
              {items.map((one) => (
                <Line key={one.id} token={one} onRevoke={writes ? () => setEnding(one) : undefined} />
              ))}
            </ul>
          </>
        )}
      </QueryView>
      {making && <TokenDialog agent={agent} name={name} onClose={() => setMaking(false)} />}
      {ending && (
        <Confirm
          open
          onClose={() => setEnding(undefined)}
          title={`Revoke ${isolate(visible(ending.label).slice(0, 80))}?`}
          action="Revoke"
          consequence="It stops working at once. Programs that use it are refused."
          run={async () => {
            await revoke(agent, ending.id);
            await client.invalidateQueries({ queryKey: [...keys.claw(agent), "tokens"] });
          }}
        />
      )}
    </Panel>
  );
}
