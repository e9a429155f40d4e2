import { Empty } from "~/ui/empty";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Button } from "~/ui/button";

/** In the place of a page whose part of the program did not arrive. It goes by itself when the part does. */
export function PageMissing() {
  return (
    <PageFrame crumbs={[{ label: "Not loaded" }]}>
      <Empty
        title="This page could not be loaded"
        action={
          <Button look="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        The page tries again. If this message stays, the gateway is offline or has a newer version. Then
        reload the page.
      </Empty>
    </PageFrame>
  );
}

/** A page that could not be drawn. */
export function PageFault({ error }: { error: unknown }) {
  return (
    <PageFrame crumbs={[{ label: "Error" }]}>
      <Failed error={error} retry={() => location.reload()} className="" />
    </PageFrame>
  );
}
