import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api } from "~/api/client";
import { forgetPerson, meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { PageFrame } from "~/ui/page";
import { Facts, Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { visible } from "~/ui/visible";
import { ChangePassword } from "./change-password";
import { LinkIdentity } from "./link-identity";
import { MailNotices } from "./notices";
import { OwnPicture } from "./own-picture";
import { Profile } from "./profile";
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
  const { user, role, workspace, workspaces, operator } = me.data;
  const others = workspaces.filter(({ id }) => id !== workspace.id);
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Account" }]}
      actions={
        <Button busy={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </Button>
      }
    >
      <h1 className="text-head-1">Account</h1>
      {leave.isError && <ProblemNote problem={asProblem(leave.error)} />}
      <div className="grid items-start gap-4 lg:grid-cols-2 2xl:grid-cols-3">
        <Panel title="You">
          <div className="flex flex-col gap-4 border-b border-line p-4">
            <OwnPicture me={me.data} />
            <Profile key={user.id} me={me.data} />
          </div>
          <Facts
            items={[
              ["Workspace", <bdi key="workspace">{workspace.name}</bdi>],
              ["Role", operator ? `${sentence(role)}, operator` : sentence(role)],
              ...(others.length > 0
                ? [
                    [
                      "Also in",
                      <ul key="others">
                        {others.map((one) => (
                          <li key={one.id}>
                            <bdi>{visible(one.name)}</bdi>
                            <span className="text-fg-3">, {sentence(one.role)}</span>
                          </li>
                        ))}
                      </ul>,
                    ] as [string, ReactNode],
                  ]
                : []),
            ]}
          />
        </Panel>
        <div className="grid gap-4">
          <LinkIdentity linked={me.data.hosted} />
          <ChangePassword email={user.email} />
          <MailNotices me={me.data} />
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:col-span-2 2xl:col-span-1">
          <Sessions workspace={workspace.name} workspaces={workspaces} permissions={me.data.permissions} />
        </div>
      </div>
    </PageFrame>
  );
}
