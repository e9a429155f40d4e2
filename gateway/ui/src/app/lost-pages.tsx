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
          <Link to="/fleet" className={buttonClass("primary")}>
            Go to the fleet
          </Link>
        }
      >
        The address may be mistyped, or what it named has been removed.
      </Empty>
    </PageFrame>
  );
}

/** The part of the program that draws a page did not arrive. */
export class PageMissing extends Error {
  constructor(options: ErrorOptions) {
    super("This page did not arrive", options);
  }
}

/** A page that could not be drawn. */
export function PageFault({ error }: { error: unknown }) {
  return (
    <PageFrame crumbs={[{ label: "Fault" }]}>
      {error instanceof PageMissing ? (
        <Empty
          title="This page could not be loaded"
          action={
            <Button look="primary" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          Either the gateway cannot be reached just now, or it was renewed and this page belongs to the
          version before.
        </Empty>
      ) : (
        <Failed error={error} retry={() => location.reload()} className="" />
      )}
    </PageFrame>
  );
}
