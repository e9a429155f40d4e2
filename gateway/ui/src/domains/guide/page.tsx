import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import Document from "~/ui/markdown/document";
import { PageFrame } from "~/ui/page";
import { QueryView } from "~/ui/query-view";
import { FILES, GUIDES, isGuide, type Guide } from "./guides";
import { PICTURES } from "./pictures";
import { piecesOf } from "./pieces";

const route = getRouteApi("/shell/guide/$name");

function Text({ name }: { name: Guide }) {
  const { load } = GUIDES[name];
  const text = useQuery({ queryKey: ["guide", name], queryFn: load, staleTime: Infinity });
  return (
    <QueryView query={text} what="the guide" rows={6}>
      {(markdown) => (
        <div className="rounded-panel border border-line bg-surface p-4">
          <div className="flex max-w-3xl flex-col gap-4">
            {piecesOf(markdown, FILES, location.origin).map((piece, at) =>
              "text" in piece ? (
                <Document key={at} text={piece.text} />
              ) : (
                <img
                  key={at}
                  src={PICTURES[piece.picture]}
                  alt={piece.alt}
                  width={1440}
                  height={900}
                  loading="lazy"
                  decoding="async"
                  className="h-auto w-full rounded-panel border border-line"
                />
              ),
            )}
          </div>
        </div>
      )}
    </QueryView>
  );
}

/** The guides of the deployment that this page belongs to. */
export function GuidePage() {
  const { name } = route.useParams();
  return (
    <PageFrame crumbs={[{ label: "Guide" }, { label: isGuide(name) ? GUIDES[name].title : "Not found" }]}>
      <h1 className="text-head-1">Guide</h1>
      <nav aria-label="Guides" className="flex flex-wrap gap-2">
        {Object.entries(GUIDES).map(([key, { title }]) => (
          <Link
            key={key}
            to="/guide/$name"
            params={{ name: key }}
            aria-current={key === name ? "page" : undefined}
            className={buttonClass(key === name ? "primary" : "plain")}
          >
            {title}
          </Link>
        ))}
      </nav>
      {isGuide(name) ? (
        <Text key={name} name={name} />
      ) : (
        <Empty title="There is no such guide">Choose one of the guides above.</Empty>
      )}
    </PageFrame>
  );
}
