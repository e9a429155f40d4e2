// What two people changed at the same time. The drawing of it comes when it happens.
import { Suspense } from "react";
import { later } from "~/live/arriving";
import { PartMissing } from "../part-missing";
import type { Clash } from "./edit";
import type { NoteProps } from "./note";

const Note = later(async () => (await import("./note")).ClashNote, PartMissing);

/** Nothing, while nobody else changed what is being edited. */
export function ClashPart<D extends object>({
  clash,
  ...props
}: Omit<NoteProps<D>, "clash"> & { clash: Clash<D> | undefined }) {
  if (!clash) return null;
  return (
    <Suspense>
      <Note {...({ clash, ...props } as unknown as NoteProps<object>)} />
    </Suspense>
  );
}
