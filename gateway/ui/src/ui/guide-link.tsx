import { Link } from "@tanstack/react-router";
import { textLink } from "./class";

/** Leads to the guide that answers the question of this place. In a tab of its own: what was typed here stays. */
export const GuideLink = ({
  to,
  children,
}: {
  to: "first" | "models" | "repository" | "machine" | "team";
  children: string;
}) => (
  <Link to="/guide/$name" params={{ name: to }} target="_blank" className={textLink}>
    Guide: {children}
  </Link>
);
