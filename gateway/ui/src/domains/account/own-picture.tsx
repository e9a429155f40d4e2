import { useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Me } from "~/api/types";
import { Avatar } from "~/ui/person";
import { PictureChoice } from "~/ui/picture/choice";

/** The person's own picture. */
export function OwnPicture({ me }: { me: Me }) {
  const client = useQueryClient();
  const renew = async () => {
    await client.invalidateQueries({ queryKey: keys.me });
    await client.invalidateQueries({ queryKey: keys.members(me.workspace.id) });
  };
  return (
    <PictureChoice
      round
      now={<Avatar user={me.user} className="size-16 text-head-1" />}
      hint="PNG, JPEG or WebP. The middle of it is used. Members of your workspaces see it."
      send={(picture) => api.put("/api/auth/me/avatar", picture).then(renew)}
      back={
        me.user.avatar
          ? { label: "Remove picture", run: () => api.delete("/api/auth/me/avatar").then(renew) }
          : undefined
      }
    />
  );
}
