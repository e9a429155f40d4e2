import { Link } from "@tanstack/react-router";
import { buttonClass } from "./button";

type List = "/missions" | "/repos" | "/runs" | "/skills" | "/teams" | "/templates";

/** From what is not there to the list that it is not in. */
export function BackLink({ to, children }: { to: List; children: string }) {
  return (
    <Link to={to} className={buttonClass("plain", "mt-2")}>
      {children}
    </Link>
  );
}
