import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { Fold } from "~/ui/fold";
import type { ListColumn } from "~/ui/list/list-table";
import type { Selection } from "~/ui/list/selection";
import type { Keys, Sorting } from "~/ui/list/sort";
import { SortedTable } from "~/ui/list/sorted-table";
import { sentence } from "~/ui/sentence";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { SKILLS } from "./delete-many";
import type { SkillBrief } from "./queries";
import { bySubject, isOwn, sourceWord } from "./words";

export const KEYS: Keys<SkillBrief> = {
  name: ({ title }) => title,
  source: ({ source_kind }) => sourceWord(source_kind),
  version: ({ current_version }) => current_version,
  changed: ({ updated_at }) => Date.parse(updated_at),
};

const about = ({ source_kind, foundation }: SkillBrief) => {
  const source = sourceWord(source_kind);
  return `${source.charAt(0).toUpperCase()}${source.slice(1)}${foundation ? ", for every agent" : ""}`;
};

const COLUMNS: ListColumn<SkillBrief>[] = [
  {
    name: "Skill",
    orders: ["name", "-name"],
    show: (skill) => (
      <>
        <Link
          to="/skills/$id"
          params={{ id: skill.id }}
          title={skill.title}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(skill.title)}</bdi>
        </Link>
        <p className="truncate text-fg-2" title={skill.when_to_use}>
          {visible(skill.when_to_use)}
        </p>
        <p className="truncate text-small text-fg-3">
          <bdi className="font-mono">{visible(skill.name)}</bdi>
          {skill.tags.length > 0 && `, ${visible(skill.tags.join(", "))}`}
        </p>
        <p className="truncate text-small text-fg-3 sm:hidden">
          {about(skill)}, version {skill.current_version}
        </p>
      </>
    ),
  },
  {
    name: "Source",
    look: "w-48 max-sm:hidden",
    cell: "truncate text-fg-2",
    orders: ["source", "-source"],
    show: about,
  },
  {
    name: "Version",
    look: "w-24 text-right max-sm:hidden",
    cell: "text-fg-2 tabular-nums",
    orders: ["-version", "version"],
    show: ({ current_version }) => current_version,
  },
  {
    name: "Changed",
    look: "w-32 text-right max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["-changed", "changed"],
    show: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

/** The order of the gateway, which sorts by names. */
const OWN = "name";
/** The third line has the name for agents and the tags. On a phone a fourth one has the source. */
const HEIGHTS = { wide: 76, narrow: 96 };
const nameOf = ({ title }: SkillBrief) => title;

interface Props {
  skills: SkillBrief[];
  chosen: string;
  sorting: Sorting;
}

interface CatalogueProps extends Props {
  label?: string;
  bare?: boolean;
  selection?: Selection | undefined;
  bar?: ReactNode;
}

export const Catalogue = ({ skills, label = "Table of skills", ...more }: CatalogueProps) => (
  <SortedTable
    {...more}
    label={label}
    what={SKILLS}
    columns={COLUMNS}
    rows={skills}
    keys={KEYS}
    selectable={isOwn}
    own={OWN}
    nameOf={nameOf}
    heights={HEIGHTS}
  />
);

/** The same skills under their subjects, which a person opens. */
export function Subjects({ skills, ...more }: Props) {
  const groups = useMemo(() => bySubject(skills), [skills]);
  return (
    <div className="flex flex-col gap-2">
      {groups.map(([subject, some]) => (
        <Fold
          key={subject}
          id={`about-${subject}`}
          title={sentence(visible(subject.replaceAll("-", " ")))}
          summary={`${some.length} ${some.length === 1 ? "skill" : "skills"}`}
        >
          <Catalogue bare skills={some} label={`Skills about ${visible(subject)}`} {...more} />
        </Fold>
      ))}
    </div>
  );
}
