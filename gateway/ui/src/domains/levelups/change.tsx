import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { LevelUp, LevelUpItem } from "~/api/levelups";
import { teamQuery } from "~/api/teams";
import { textLink } from "~/ui/class";
import { DiffView } from "~/ui/diff/diff-view";
import { Facts } from "~/ui/panel";
import { QueryView } from "~/ui/query-view";
import { sentence } from "~/ui/sentence";
import { visible } from "~/ui/visible";
import { changeAlone, rolesWith, skillsWith, type ListChange } from "./lists";
import { agentSkillsQuery } from "./queries";
import { texts } from "./words";

function Lists({ change, label }: { change: ListChange; label: string }) {
  return "note" in change ? (
    <p className="px-4 py-3 text-fg-2">{change.note}</p>
  ) : (
    <DiffView before={change.before} after={change.after} label={label} />
  );
}

function Skills({ agent, added, label }: { agent: string; added: string; label: string }) {
  const skills = useQuery(agentSkillsQuery(agent));
  return (
    <QueryView query={skills} what="the agent's skills" rows={2}>
      {(has) => <Lists change={skillsWith(has, added)} label={label} />}
    </QueryView>
  );
}

type RosterChange = NonNullable<LevelUpItem["roster"]>;

function Roles({ team, roster, label }: { team: string; roster: RosterChange; label: string }) {
  const one = useQuery(teamQuery(team));
  return (
    <QueryView query={one} what="the team's roles" rows={2}>
      {(found) => <Lists change={rolesWith(found, roster)} label={label} />}
    </QueryView>
  );
}

/** The change of a list: within the list as it is now, as long as nobody has decided. */
function ListDiff({ proposal, item }: { proposal: LevelUp; item: LevelUpItem }) {
  const pending = proposal.status === "pending";
  const label = `Changes of ${item.kind === "skill_add" ? "the skills" : "the roles"}`;
  if (pending && item.kind === "skill_add" && item.agent_id)
    return <Skills agent={item.agent_id} added={item.skill_name ?? ""} label={label} />;
  if (pending && item.roster && proposal.team_id)
    return <Roles team={proposal.team_id} roster={item.roster} label={label} />;
  const alone = changeAlone(item);
  return alone ? <DiffView {...alone} label={label} /> : null;
}

/** The change itself: two texts as one, and what else belongs to it. */
export function Change({ proposal, item }: { proposal: LevelUp; item: LevelUpItem }) {
  const both = texts(item);
  return (
    <>
      {item.kind === "skill_add" && (
        <p className="px-4 pt-3">
          Adds the skill{" "}
          {item.skill_id ? (
            <Link to="/skills/$id" params={{ id: item.skill_id }} className={textLink}>
              <bdi>{visible(item.skill_name ?? "")}</bdi>
            </Link>
          ) : (
            <bdi>{visible(item.skill_name ?? "")}</bdi>
          )}
          .
        </p>
      )}
      {item.skill && (
        <Facts
          items={[
            [
              "Name",
              <code key="name" className="font-mono">
                {visible(item.skill.name)}
              </code>,
            ],
            ["Title", <bdi key="title">{visible(item.skill.title)}</bdi>],
            ["When to use", <bdi key="when">{visible(item.skill.when_to_use)}</bdi>],
            ["Tags", item.skill.tags.map(visible).join(", ") || "none"],
          ]}
        />
      )}
      {item.roster && (
        <Facts
          items={[
            ["Role", <bdi key="slot">{`${sentence(item.roster.action)} ${visible(item.roster.slot)}`}</bdi>],
            [
              "What to do",
              <p key="detail" className="break-words whitespace-pre-wrap">
                {visible(item.roster.detail)}
              </p>,
            ],
          ]}
        />
      )}
      {both ? (
        <DiffView before={both.before} after={both.after} label={`Changes of ${both.what}`} />
      ) : (
        <ListDiff proposal={proposal} item={item} />
      )}
    </>
  );
}
