import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import { skillsQuery } from "~/api/skills";
import { SkillPage } from "~/domains/skills/skill-page";
import { PageFrame } from "~/ui/page";
import { Loading } from "~/ui/skeleton";

const route = getRouteApi("/shell/skills/$id");
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A skill by its name, as agents and people write it. The workspace's own one replaces the one that comes with Roost. */
function ByName({ name }: { name: string }) {
  const skills = useQuery(skillsQuery);
  const named = skills.data?.filter((skill) => skill.name === name) ?? [];
  const found = named.find((skill) => skill.visibility === "workspace") ?? named[0];
  if (skills.isPending)
    return (
      <PageFrame wide crumbs={[{ label: "Skills", to: "/skills" }, { label: "…" }]}>
        <Loading what="the skill" rows={6} />
      </PageFrame>
    );
  // Without one, the page of the skill says what is wrong.
  return found ? <Navigate to="/skills/$id" params={{ id: found.id }} replace /> : <SkillPage />;
}

/** The address of a skill has its id or its name. */
export function SkillRoute() {
  const { id } = route.useParams();
  return ID.test(id) ? <SkillPage /> : <ByName name={id} />;
}
