import { Link } from "@tanstack/react-router";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { PageFrame } from "~/ui/page";

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
