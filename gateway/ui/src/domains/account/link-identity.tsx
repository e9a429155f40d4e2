import { useMutation, useQuery } from "@tanstack/react-query";
import { api } from "~/api/client";
import { asProblem } from "~/api/problem";
import { setupQuery } from "~/api/setup";
import { Button } from "~/ui/button";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";

/** Ties the account to an identity at the provider; shown only where there is one. */
export function LinkIdentity({ linked }: { linked: boolean }) {
  const setup = useQuery(setupQuery);
  const begin = useMutation({
    mutationFn: () => api.post("/api/auth/oidc/link"),
    onSuccess: ({ url }) => location.assign(url),
  });
  const hosted = setup.data?.hosted;
  if (!hosted) return null;
  return (
    <Panel title="Identity provider">
      {linked ? (
        <p className="p-4 text-fg-2">
          You can sign in with <bdi>{hosted.name}</bdi>.
        </p>
      ) : (
        <div className="flex flex-col items-start gap-3 p-4">
          <p className="text-fg-2">
            Link your account to your identity at <bdi>{hosted.name}</bdi>, and sign in with it from then on.
          </p>
          <Button busy={begin.isPending} onClick={() => begin.mutate()}>
            Link account
          </Button>
        </div>
      )}
      {begin.isError && <ProblemNote problem={asProblem(begin.error)} className="m-4 mt-0" />}
    </Panel>
  );
}
