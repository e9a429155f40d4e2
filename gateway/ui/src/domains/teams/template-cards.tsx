import { Link } from "@tanstack/react-router";
import type { TemplateBrief } from "~/api/teams";
import { Sentence } from "~/ui/lacks";
import { Sketch } from "~/ui/topology/sketch";
import { categoryName } from "~/ui/template-words";
import { kindName } from "~/ui/topology/kinds";
import { shapeOf } from "~/ui/topology/place";
import { visible } from "~/ui/visible";

/** Templates to choose from, by what they are for. */
export function TemplateCards({ templates }: { templates: TemplateBrief[] }) {
  const categories = [...new Set(templates.map(({ category }) => category))].toSorted();
  return categories.map((category) => (
    <section key={category} aria-label={categoryName(category)} className="flex flex-col gap-2">
      <h2 className="text-head-2">{categoryName(category)}</h2>
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {templates
          .filter((one) => one.category === category)
          .map((one) => (
            <li
              key={one.id}
              className="relative flex min-w-0 flex-col gap-2 rounded-panel border border-line bg-surface p-4 hover:border-line-strong"
            >
              <div className="flex items-start justify-between gap-3">
                <div className="min-w-0">
                  <h3 className="text-head-3 break-words">
                    <Link
                      to="/teams/new"
                      search={{ template: one.id }}
                      className="rounded-control after:absolute after:inset-0 hover:text-accent"
                    >
                      <bdi>{visible(one.name)}</bdi>
                    </Link>
                  </h3>
                  <p className="text-small text-fg-3">{kindName(one.default_topology)}</p>
                </div>
                <Sketch {...shapeOf(one.default_topology, one.roles)} />
              </div>
              <p className="line-clamp-3 break-words text-fg-2">{visible(one.description)}</p>
              {one.image.lacks.length > 0 && (
                <p className="text-small break-words text-waiting">
                  {one.image.lacks.map(({ detail }) => (
                    <Sentence key={detail} text={`${detail} `} />
                  ))}
                </p>
              )}
              <p className="mt-auto text-small break-words text-fg-3">
                {visible(one.roles.map(({ title }) => title).join(", "))}
              </p>
            </li>
          ))}
      </ul>
    </section>
  ));
}
