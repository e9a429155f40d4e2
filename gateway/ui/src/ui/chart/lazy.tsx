// Charts in a chunk of their own, in the room that they take.
import type { ComponentProps } from "react";
import { first, later } from "~/live/arriving";
import type * as Charts from "./charts";

/** Once it is there, a chart is drawn at once: a part that is still to come would leave its room empty for a frame. */
let charts: typeof Charts | undefined;
const load = async () => (charts = await import("./charts"));

/** The chunk comes together with the figures that it draws. One that does not come is asked for again by `later`. */
export const chartsReady = () =>
  load().then(
    () => undefined,
    () => undefined,
  );

export const Bars = first(
  () => charts?.Bars,
  later(async () => (await load()).Bars),
);
const FirstColumns = first(
  () => charts?.Columns,
  later(async () => (await load()).Columns),
);
const FirstSpark = first(
  () => charts?.Spark,
  later(async () => (await load()).Spark),
);

export function Columns(props: ComponentProps<typeof Charts.Columns>) {
  return (
    <div className={props.tall ? "min-h-68" : "min-h-48"}>
      <FirstColumns {...props} />
    </div>
  );
}

export function Spark(props: ComponentProps<typeof Charts.Spark>) {
  return (
    <div className="h-6">
      <FirstSpark {...props} />
    </div>
  );
}
