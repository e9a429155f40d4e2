import { apart } from "../apart";
import type { Option } from "../choice/options";
import { visible } from "../visible";
import { compareNames } from "./sort";

/** Things by their names, told apart and in the order of their names, after the choice that narrows nothing. */
export const named = (names: ReadonlyMap<string, string>, any = "Any"): Option[] => [
  { value: "", label: any },
  ...[...apart([...names].map(([id, name]) => [id, visible(name)] as const))]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => compareNames(a.label, b.label)),
];
