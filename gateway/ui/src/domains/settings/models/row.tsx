import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { MODELS, SCRIPTED, type ModelBinding } from "~/api/models";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Demonstration } from "~/ui/demonstration";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { priceWord } from "~/ui/model-words";
import { ProblemNote } from "~/ui/problem";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { ChangeModel } from "./forms";
import { change, remove, tryOut } from "./queries";
import { providerName, triedWord } from "./words";

/** What the small question came to. */
function Tried({ model }: { model: ReturnType<typeof useTry> }) {
  const { data, error, isPending } = model;
  return (
    <div role="status" className="empty:hidden">
      {isPending && <Status tone="moving" word="Waiting for its answer; up to 45 s" />}
      {error && <ProblemNote problem={asProblem(error)} />}
      {data && (
        <>
          <Status tone={data.ok ? "done" : "failed"} word={triedWord(data)} className="whitespace-normal" />
          {data.text !== "" && (
            <p dir="auto" className="line-clamp-3 break-words text-fg-2">
              “{visible(data.text)}”
            </p>
          )}
          {data.error && <p className="break-words text-fg-2">{visible(data.error)}</p>}
        </>
      )}
    </div>
  );
}

const useTry = (id: string) => useMutation({ mutationFn: () => tryOut(id), gcTime: 0 });

function Actions({ model, asked }: { model: ModelBinding; asked: ReturnType<typeof useTry> }) {
  const client = useQueryClient();
  const [open, setOpen] = useState<"change" | "remove">();
  const name = visible(model.name);
  const prefer = useMutation({
    mutationFn: () => change(model.id, { is_default: !model.is_default }, model.version),
    onSuccess: () => client.invalidateQueries({ queryKey: MODELS }),
  });
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button busy={asked.isPending} aria-label={`Try ${name}`} onClick={() => asked.mutate()}>
          Try
        </Button>
        <Button
          busy={prefer.isPending}
          aria-label={`${model.is_default ? "Remove as default" : "Set as default"}: ${name}`}
          onClick={() => prefer.mutate()}
        >
          {model.is_default ? "Remove as default" : "Set as default"}
        </Button>
        <Button aria-label={`Change ${name}`} onClick={() => setOpen("change")}>
          Change
        </Button>
        <Button aria-label={`Remove ${name}`} onClick={() => setOpen("remove")}>
          Remove
        </Button>
      </div>
      {prefer.isError && <ProblemNote problem={asProblem(prefer.error)} />}
      {open === "change" && <ChangeModel model={model} onClose={close} />}
      <Confirm
        open={open === "remove"}
        onClose={close}
        title={`Remove ${isolate(name.slice(0, 80))}?`}
        action="Remove"
        consequence="Its key is deleted. Agents and teams that use it cannot work until you give them another model."
        run={async () => {
          await remove(model.id);
          await client.invalidateQueries({ queryKey: MODELS });
        }}
      />
    </>
  );
}

/** One model: where it is, whether it has a key, what it costs. */
export function ModelRow({
  model,
  manages,
  fresh,
}: {
  model: ModelBinding;
  manages: boolean;
  fresh: boolean;
}) {
  const asked = useTry(model.id);
  const { mutate } = asked;
  // Whether its key and its name are right shows at once.
  useEffect(() => {
    if (fresh) mutate();
  }, [fresh, mutate]);
  return (
    <li data-row className="flex flex-col gap-2 border-b border-line px-4 py-3 last:border-0">
      <div className="min-w-0">
        <h3 className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <bdi className="min-w-0 font-mono font-[550] break-all">{visible(model.name)}</bdi>
          {model.is_default && <Status tone="done" word="Default" className="text-small" />}
        </h3>
        <p className="break-words text-fg-2">
          {providerName(model)},{" "}
          <bdi className="font-mono text-small break-all">{visible(model.base_url)}</bdi>
        </p>
        <p className="text-small text-fg-3">
          {priceWord(model.price)}, {model.has_key ? "its key is in the secret broker" : "no key"}
        </p>
      </div>
      {manages && <Actions model={model} asked={asked} />}
      <Tried model={asked} />
    </li>
  );
}

/** What answers where there is no model; it must never be taken for one. */
export function ScriptedRow({ isDefault }: { isDefault: boolean }) {
  return (
    <li data-row className="border-b border-line px-4 py-3 last:border-0">
      <h3 className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <span className="font-mono font-[550]">{SCRIPTED}</span>
        <Demonstration />
        {isDefault && (
          <Status tone="warning" word="Used because no default model is set" className="text-small" />
        )}
      </h3>
      <p className="text-fg-2">
        A built-in script, not a model. It plays each role, writes real files and runs real commands, but
        understands nothing. Each of its texts says so. It costs nothing.
      </p>
    </li>
  );
}
