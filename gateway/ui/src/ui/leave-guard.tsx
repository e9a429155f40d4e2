import { useBlocker } from "@tanstack/react-router";
import { useCallback, useLayoutEffect, useRef } from "react";
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
  // The router gets a changed function only after the next frame. The answer to a form can come earlier.
  const now = useRef(dirty);
  useLayoutEffect(() => {
    now.current = dirty;
  }, [dirty]);
  const isDirty = useCallback(() => now.current, []);
  const guard = useBlocker({
    shouldBlockFn: isDirty,
    enableBeforeUnload: isDirty,
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
