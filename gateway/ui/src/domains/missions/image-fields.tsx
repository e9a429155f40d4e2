// The images of a mission: of its own runtime, and of the sandbox in which benchmarks and scanners run.
import { useQuery } from "@tanstack/react-query";
import { imagesQuery } from "~/api/images";
import { Choice, Field } from "~/ui/field";
import { visible } from "~/ui/visible";
import { phasesOf } from "./draft";
import type { PartProps } from "./fields";

/** The scanners that a security phase starts, as the lists of tools name them. */
const SCANNERS = ["bandit", "semgrep", "cargo-audit", "cargo-deny"];

/** Who executes the steps of the teams: Roost, or an A2A server in the mission's own sandbox. */
export function RuntimeFields({ draft, set, problem }: PartProps) {
  const images = useQuery(imagesQuery).data?.items ?? [];
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Choice
        label="Runtime of its agents"
        value={draft.runtime}
        onChange={(event) => set({ runtime: event.target.value })}
        hint={
          draft.runtime
            ? "Each step goes to an A2A server in the mission's own sandbox. It has no network, so it brings its own model."
            : "Roost executes the steps with the agents' models."
        }
        error={problem?.field("/config/runtime/image")}
      >
        <option value="">Roost</option>
        {images.map(({ name, purpose }) => (
          <option key={name} value={name}>
            A server in the image {visible(name)}: {visible(purpose)}
          </option>
        ))}
        {draft.runtime && !images.some(({ name }) => name === draft.runtime) && (
          <option value={draft.runtime}>A server in the image {visible(draft.runtime)}</option>
        )}
      </Choice>
      {draft.runtime && (
        <Field
          label="Command of the server"
          autoComplete="off"
          spellCheck="false"
          maxLength={16_000}
          placeholder="roost-runtime"
          value={draft.program}
          onChange={(event) => set({ program: event.target.value })}
          hint="roost-runtime -- PROGRAM gives each step to a new process of the program."
          error={problem?.field("/config/runtime/command")}
        />
      )}
    </div>
  );
}

/** The image in which Roost measures and scans. A runtime's image goes before it. */
export function ProbeImage({ draft, set, problem }: PartProps) {
  const images = useQuery(imagesQuery).data?.items ?? [];
  const kinds = phasesOf(draft);
  const scans = kinds.includes("security_scan");
  if (draft.runtime || (!scans && !kinds.includes("benchmark"))) return null;
  const chosen = images.find(({ name }) => name === draft.image);
  const found = SCANNERS.filter((name) => chosen?.tools.includes(name));
  const scanners = found.length > 0 ? `It has ${found.join(" and ")}.` : "Roost knows no scanner in it.";
  return (
    <Choice
      label="Image for benchmarks and scans"
      value={draft.image}
      onChange={(event) => set({ image: event.target.value })}
      hint={
        chosen && scans
          ? `${scanners} Roost's own search for secrets needs no image.`
          : "Commands of these phases run in it, without a network."
      }
      error={problem?.field("/config/image")}
    >
      <option value="">As the coding team</option>
      {images.map(({ name, purpose }) => (
        <option key={name} value={name}>
          {visible(name)}: {visible(purpose)}
        </option>
      ))}
      {draft.image && !chosen && <option value={draft.image}>{visible(draft.image)}</option>}
    </Choice>
  );
}
