import { useEffect, useState } from "react";
import { onNewBuild } from "~/api/client";
import { Button } from "~/ui/button";

/** The gateway was renewed under the open page: offers a reload, never does it by itself. */
export function VersionNotice() {
  const [seen, setSeen] = useState(false);
  useEffect(() => onNewBuild(() => setSeen(true)), []);
  if (!seen) return null;
  return (
    <div
      role="status"
      className="fixed right-4 bottom-4 z-30 flex items-center gap-3 rounded-panel border border-line bg-raised px-3 py-2 shadow-float"
    >
      A new version of Roost is running.
      <Button look="primary" onClick={() => location.reload()}>
        Reload
      </Button>
      <Button look="quiet" onClick={() => setSeen(false)}>
        Later
      </Button>
    </div>
  );
}
