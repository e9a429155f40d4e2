import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { meQuery } from "~/api/me";
import { Button, IconButton } from "../button";
import { cx } from "../class";
import { DialogActions, Modal } from "../dialog";
import { Field } from "../field";
import {
  sameFilters,
  useViews,
  withoutView,
  withView,
  type Filters,
  type ListName,
  type View,
} from "./saved";

interface Props {
  list: ListName;
  /** What the address has now, without its dialogs. */
  filters: Filters;
  /** Views that everybody has, after the list as it is. */
  built?: readonly View[];
}

interface Asked {
  /** The view whose name changes; without it, a new one is saved. */
  view?: View;
}

function NameDialog({
  asked,
  views,
  onSave,
  onDelete,
  onClose,
}: {
  asked: Asked;
  views: View[];
  onSave: (name: string) => void;
  onDelete: () => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(asked.view?.name ?? "");
  const wanted = name.trim();
  const taken = wanted !== asked.view?.name && views.some((one) => one.name === wanted);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (wanted) onSave(wanted);
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={asked.view ? "Change the view" : "Save these filters as a view"}
      lead="Views are saved in this browser only."
    >
      <form onSubmit={submit}>
        <Field
          label="Name of the view"
          value={name}
          maxLength={60}
          autoComplete="off"
          hint={taken ? "It replaces the view that has this name." : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <DialogActions>
          {asked.view && (
            <Button className="mr-auto text-failed" onClick={onDelete}>
              Delete view
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!wanted}>
            {taken ? "Replace view" : asked.view ? "Rename view" : "Save view"}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}

/** The saved views of a list as tabs above it, and the way to save one more. */
export function Views({ list, filters, built = [] }: Props) {
  const me = useQuery(meQuery);
  const [views, change] = useViews(me.data?.workspace.id ?? "", list);
  const [asked, setAsked] = useState<Asked>();
  const present = views.find((view) => sameFilters(view.filters, filters));
  const some = Object.keys(filters).length > 0;
  const known = present ?? built.find((view) => sameFilters(view.filters, filters));
  const tab = (name: string, to: Filters, here: boolean) => (
    <Link
      key={name}
      to={`/${list}`}
      // The filters of a view are what this page's own address had.
      search={to as never}
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={here ? "page" : undefined}
      className={cx(
        "-mb-px inline-flex h-8 max-w-56 items-center border-b-2 px-2.5 whitespace-nowrap pointer-coarse:h-11",
        here ? "border-accent font-[550] text-fg" : "border-transparent text-fg-2 hover:text-fg",
      )}
    >
      <bdi className="truncate">{name}</bdi>
    </Link>
  );
  return (
    <nav aria-label="Views" className="-mt-2 flex flex-wrap items-center gap-1 border-b border-line">
      {tab("All", {}, !some)}
      {built.map((view) => tab(view.name, view.filters, view === known))}
      {views.map((view) => (
        <span key={view.name} className="inline-flex items-center">
          {tab(view.name, view.filters, view === present)}
          {view === present && (
            <IconButton
              label={`Change the view ${view.name}`}
              // Beside a tab a target of less than 24 px is too small.
              className="min-h-8 min-w-8"
              onClick={() => setAsked({ view })}
            >
              <Pencil size={13} aria-hidden />
            </IconButton>
          )}
        </span>
      ))}
      {some && !known && (
        <Button look="quiet" className="ml-auto text-accent" onClick={() => setAsked({})}>
          Save as a view
        </Button>
      )}
      {asked && (
        <NameDialog
          asked={asked}
          views={views}
          onSave={(name) => {
            change((all) => withView(all, { name, filters }, asked.view?.name));
            setAsked(undefined);
          }}
          onDelete={() => {
            change((all) => withoutView(all, asked.view?.name ?? ""));
            setAsked(undefined);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </nav>
  );
}
