import { useBlocker } from "@tanstack/react-router";
import { Confirm } from "~/ui/dialog";

/** Asks before somebody leaves what was typed and not saved. */
export function LeaveGuard({
  dirty,
  title,
  consequence,
}: {
  dirty: boolean;
  title: string;
  consequence: string;
}) {
  const guard = useBlocker({
    shouldBlockFn: () => dirty,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <Confirm
      open={guard.status === "blocked"}
      onClose={() => guard.reset?.()}
      title={title}
      consequence={consequence}
      action="Leave"
      run={async () => guard.proceed?.()}
    />
  );
}
