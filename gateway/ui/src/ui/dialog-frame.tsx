// The frame of every dialog. `dialog.tsx` loads it.
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { asProblem, type Problem } from "~/api/problem";
import { Button } from "./button";
import { cx } from "./class";
import { DialogActions } from "./dialog";
import { Field } from "./field";
import { useHeld } from "./held";
import { ProblemNote } from "./problem";

/** The library, for the layers of the shell: they come with the frame. */
export { Dialog };

const BACKDROP = "overlay-in fixed inset-0 z-40 bg-scrim";
const POPUP =
  "overlay-in fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[min(100vw-24px,var(--dialog-width))] -translate-x-1/2 flex-col " +
  "rounded-panel border border-line bg-raised shadow-float outline-none";

interface ModalProps {
  open: boolean;
  onClose: () => void;
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  /** It stands above another dialog, which stays as it is. */
  above?: boolean;
  children: ReactNode;
}

/** A dialog below another one, in which the person signs in again, stays open. */
const stays = () => useHeld.getState().held;

export function Modal({ open, onClose, title, lead, wide, above, children }: ModalProps) {
  const body = useRef<HTMLDivElement>(null);
  // Where writing begins, not the cross beside the title. A finger brings its keyboard only when it asks for it.
  const first = (how: string) =>
    how === "touch" ||
    (body.current?.querySelector<HTMLElement>("input:not([type=hidden]), textarea, [role=combobox]") ?? true);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && (above || !stays()) && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP} />
        <Dialog.Popup
          initialFocus={first}
          className={cx(POPUP, wide ? "[--dialog-width:680px]" : "[--dialog-width:480px]")}
        >
          <header className="flex items-start gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Dialog.Title className="text-head-2">{title}</Dialog.Title>
              {lead && <Dialog.Description className="mt-0.5 text-fg-2">{lead}</Dialog.Description>}
            </div>
            <Dialog.Close
              aria-label="Close"
              className="-mr-1.5 inline-flex size-7 items-center justify-center rounded-control text-fg-2 hover:bg-line/60 hover:text-fg pointer-coarse:size-11"
            >
              <X size={16} aria-hidden />
            </Dialog.Close>
          </header>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** What happens, in full sentences. */
  consequence: ReactNode;
  action: string;
  /** What the button beside it says, where "Cancel" would be taken for the action. */
  keep?: string;
  look?: "danger" | "primary";
  /** For what cannot be undone: the name that has to be typed. */
  typed?: string | undefined;
  /** Room for much text. */
  wide?: boolean;
  /** Nothing is left to be done: it can only be closed. */
  off?: boolean;
  run: () => Promise<unknown>;
  children?: ReactNode;
}

export function Confirm({
  open,
  onClose,
  title,
  consequence,
  action,
  keep = "Cancel",
  look = "danger",
  typed,
  wide,
  off,
  run,
  children,
}: ConfirmProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [text, setText] = useState("");
  const close = () => {
    setProblem(undefined);
    setText("");
    onClose();
  };
  const act = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await run();
      close();
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && !busy && !stays() && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup
          initialFocus={cancel}
          className={cx(POPUP, "p-5", wide ? "[--dialog-width:680px]" : "[--dialog-width:440px]")}
        >
          <AlertDialog.Title className="text-head-2">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="mt-1 text-fg-2">
            {consequence}
          </AlertDialog.Description>
          {children}
          {typed !== undefined && (
            <div className="mt-4">
              <Field
                label={`Type ${typed} to confirm`}
                value={text}
                onChange={(event) => setText(event.target.value)}
                autoComplete="off"
              />
            </div>
          )}
          {problem && <ProblemNote problem={problem} className="mt-4" />}
          <DialogActions>
            <Button ref={cancel} onClick={close} disabled={busy}>
              {keep}
            </Button>
            <Button
              look={look}
              busy={busy}
              disabled={off || (typed !== undefined && text !== typed)}
              onClick={() => void act()}
            >
              {action}
            </Button>
          </DialogActions>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
