import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Me } from "~/api/types";
import { Tick } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";

/** E-mail about one's own runs. Only where the deployment sends e-mail. */
export function MailNotices({ me }: { me: Me }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (on: boolean) => api.patch("/api/auth/me", { body: { mail_notices: on } }),
    onSuccess: (now) => client.setQueryData(keys.me, now),
  });
  if (!me.mail) return null;
  return (
    <Panel title="E-mail">
      <div className="flex flex-col gap-3 p-4">
        <Tick
          label="Send me e-mails about my runs and missions"
          hint="When a run that you started fails, misses its goal, waits for an approval or a machine, or completes after five minutes or more. Also when a mission of yours ends or pauses. Phases of a mission that complete send none."
          checked={save.isPending ? save.variables : me.mail_notices}
          disabled={save.isPending}
          onChange={(event) => save.mutate(event.target.checked)}
        />
        {save.isError && <ProblemNote problem={asProblem(save.error)} />}
      </div>
    </Panel>
  );
}
