import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api } from "~/api/client";
import { forgetPerson, meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { PageFrame } from "~/ui/page";
import { Facts, Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { ChangePassword } from "./change-password";
import { LinkIdentity } from "./link-identity";
import { Sessions } from "./sessions";

export function AccountPage() {
  const me = useQuery(meQuery);
  const client = useQueryClient();
  const router = useRouter();
  const leave = useMutation({
    mutationFn: () => api.post("/api/auth/logout"),
    onSuccess: async () => {
      await router.navigate({ to: "/sign-in" });
      forgetPerson(client);
    },
  });
  if (!me.data) return null;
  const { user, role, workspace, operator } = me.data;
  return (
    <PageFrame
      crumbs={[{ label: "Account" }]}
      actions={
        <Button busy={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </Button>
      }
    >
      <h1 className="text-head-1">Account</h1>
      {leave.isError && <ProblemNote problem={asProblem(leave.error)} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title="You">
          <Facts
            items={[
              ["Name", <bdi key="name">{user.name || user.email}</bdi>],
              ["E-mail", <bdi key="mail">{user.email}</bdi>],
              ["Workspace", <bdi key="workspace">{workspace.name}</bdi>],
              ["Role", operator ? `${sentence(role)}, operator` : sentence(role)],
            ]}
          />
        </Panel>
        <div className="grid gap-4">
          <LinkIdentity linked={me.data.hosted} />
          <ChangePassword email={user.email} />
        </div>
      </div>
      <Sessions workspace={workspace.name} />
    </PageFrame>
  );
}
