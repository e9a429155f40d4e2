import { Button } from "~/ui/button";
import { DialogActions } from "~/ui/dialog";

/** The foot of a form that ends in a sign-in elsewhere. */
export function BeginActions({
  begun,
  onClose,
}: {
  begun: { busy: boolean; to: string | undefined };
  onClose: () => void;
}) {
  return (
    <>
      <p role="status" className="min-h-5 text-small text-fg-3">
        {begun.to !== undefined && (
          <>
            Going to <bdi>{begun.to}</bdi> …
          </>
        )}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={begun.busy}>
          Go and sign in
        </Button>
      </DialogActions>
    </>
  );
}

/** Said before, because the first connection is gone once the second is made. */
export function Replaces({ app }: { app: string }) {
  return (
    <p role="status" className="text-small text-waiting">
      The agent is connected to <bdi>{app}</bdi> already. The new connection replaces that one.
    </p>
  );
}
