import { useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Claw } from "~/api/types";
import { cx } from "~/ui/class";
import { PictureChoice } from "~/ui/picture/choice";

/** What the agent looks like. Beside its name it says nothing more, so it has no words of its own. */
export function AvatarImage({ claw, className }: { claw: Claw; className?: string }) {
  return (
    <img
      src={claw.avatar.url}
      alt=""
      width={64}
      height={64}
      loading="lazy"
      decoding="async"
      className={cx("shrink-0 rounded-control bg-sunken object-cover", className)}
    />
  );
}

/** Choosing another picture, or going back to the drawn one. */
export function AvatarChoice({ claw }: { claw: Claw }) {
  const client = useQueryClient();
  const path = { id: claw.id };
  const renew = () => client.invalidateQueries({ queryKey: keys.claws });
  return (
    <div className="border-t border-line px-4 py-3">
      <PictureChoice
        now={<AvatarImage claw={claw} className="size-16" />}
        hint="PNG, JPEG or WebP. The middle of it is used."
        send={(picture) => api.put("/api/claws/{id}/avatar", { path, ...picture }).then(renew)}
        back={
          claw.avatar.uploaded
            ? {
                label: "Use the drawn one",
                run: () => api.delete("/api/claws/{id}/avatar", { path }).then(renew),
              }
            : undefined
        }
      />
    </div>
  );
}
