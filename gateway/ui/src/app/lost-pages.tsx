import { Link } from "@tanstack/react-router";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Button } from "~/ui/button";

export function NotFound() {
  return (
    <PageFrame crumbs={[{ label: "Not found" }]}>
      <Empty
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass("primary")}>
            Go to Home
          </Link>
        }
      >
        The address has a typing mistake, or the thing that it names was removed.
      </Empty>
    </PageFrame>
  );
}

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
