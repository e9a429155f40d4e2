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

/** A page that could not be drawn. A failed lazy import usually means that the gateway was renewed meanwhile. */
export function PageFault({ error }: { error: unknown }) {
  const skew = error instanceof Error && /dynamically imported module|Importing a module/.test(error.message);
  return (
    <PageFrame crumbs={[{ label: "Fault" }]}>
      {skew ? (
        <Empty
          title="A new version of Roost is running"
          action={
            <Button look="primary" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          This page belongs to the version before. Reload to go on.
        </Empty>
      ) : (
        <Failed error={error} retry={() => location.reload()} className="" />
      )}
    </PageFrame>
  );
}
