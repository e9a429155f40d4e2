// The options of a choice, read from `<option>` and `<optgroup>` elements, so that a form writes them as HTML does. The
// title of an option is its second line.
import { isValidElement, type ReactNode } from "react";

export interface Option {
  /** An empty value is the one that narrows nothing. */
  value: string;
  label: string;
  disabled?: boolean | undefined;
  /** A second line of the option in the open list. */
  note?: string | undefined;
  /** Options of one group follow each other. */
  group?: string | undefined;
}

interface OptionProps {
  value?: string | number;
  label?: string;
  disabled?: boolean;
  title?: string;
  children?: ReactNode;
}

function textOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}

export function optionsOf(node: ReactNode, group?: string): Option[] {
  if (Array.isArray(node)) return node.flatMap((one: ReactNode) => optionsOf(one, group));
  if (!isValidElement<OptionProps>(node)) return [];
  const { value, label, disabled, title, children } = node.props;
  if (node.type !== "option") return optionsOf(children, label ?? group);
  const text = textOf(children);
  return [{ value: value === undefined ? text : String(value), label: text, disabled, note: title, group }];
}

/** The next option that can be chosen on the way from one to another; without one, the present one. */
export function onWay(options: readonly Option[], at: number, to: number): number {
  const step = to < at ? -1 : 1;
  for (let place = to; place >= 0 && place < options.length; place += step)
    if (!options[place]?.disabled) return place;
  return at;
}

/** A list with more options than this has a field to search it. */
export const MANY = 12;

/** The places of the options that have every word that was typed. */
export function fitting(options: readonly Option[], typed: string): number[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const places: number[] = [];
  options.forEach(({ label, note, group }, place) => {
    const text = words.length > 0 ? `${label} ${note ?? ""} ${group ?? ""}`.toLowerCase() : "";
    if (words.every((word) => text.includes(word))) places.push(place);
  });
  return places;
}

/** A line of the open list: an option, by its place among those that fit, or the heading of a group. */
export type Line = number | { group: string };

export function linesOf(options: readonly Option[], found: readonly number[]): Line[] {
  const lines: Line[] = [];
  let before: string | undefined;
  found.forEach((place, at) => {
    const group = options[place]?.group;
    if (group !== undefined && group !== before) lines.push({ group });
    before = group;
    lines.push(at);
  });
  return lines;
}
