// Dialogs. Their frame with its library is a chunk of its own (`dialog-frame.tsx`): a page is there before anybody opens one.
import type { ComponentProps, ReactNode } from "react";
import { first, later } from "~/live/arriving";
import type * as Frame from "./dialog-frame";
import { PartMissing } from "./part-missing";

/** Once it is there, a dialog opens at once. */
let frame: typeof Frame | undefined;
const load = async () => (frame = await import("./dialog-frame"));
const FirstModal = first(
  () => frame?.Modal,
  later(async () => (await load()).Modal, PartMissing),
);
const FirstConfirm = first(
  () => frame?.Confirm,
  later(async () => (await load()).Confirm, PartMissing),
);

/** Loads the frame while nobody waits for it, so that a dialog opens without a wait, and while the gateway is away too. */
export const dialogsReady = () => void load().catch(() => undefined);

export function Modal(props: ComponentProps<typeof Frame.Modal>) {
  return frame || props.open ? <FirstModal {...props} /> : null;
}

/** Asks before something is destroyed. Focus starts on what does nothing; a refusal stays inside the dialog. */
export function Confirm(props: ComponentProps<typeof Frame.Confirm>) {
  return frame || props.open ? <FirstConfirm {...props} /> : null;
}

/** The row of buttons at a dialog's foot, the one that acts last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}
