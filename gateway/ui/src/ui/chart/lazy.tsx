// Charts in a chunk of their own, in the room that they take.
import { Suspense, type ComponentProps } from "react";
import { later } from "~/live/arriving";
import type * as Charts from "./charts";

/** Once it is there, a chart is drawn at once: a part that is still to come would leave its room empty for a frame. */
let charts: typeof Charts | undefined;
const load = async () => (charts = await import("./charts"));
const LaterBars = later(async () => (await load()).Bars);
const LaterColumns = later(async () => (await load()).Columns);
const LaterSpark = later(async () => (await load()).Spark);

/** The chunk comes together with the figures that it draws. One that does not come is asked for again by `later`. */
export const chartsReady = () =>
  load().then(
    () => undefined,
    () => undefined,
  );

export function Bars(props: ComponentProps<typeof Charts.Bars>) {
  const Is = charts?.Bars ?? LaterBars;
  return (
    <Suspense>
      <Is {...props} />
    </Suspense>
  );
}

export function Columns(props: ComponentProps<typeof Charts.Columns>) {
  const Is = charts?.Columns ?? LaterColumns;
  return (
    <div className={props.tall ? "min-h-68" : "min-h-48"}>
      <Suspense>
        <Is {...props} />
      </Suspense>
    </div>
  );
}

export function Spark(props: ComponentProps<typeof Charts.Spark>) {
  const Is = charts?.Spark ?? LaterSpark;
  return (
    <div className="h-6">
      <Suspense>
        <Is {...props} />
      </Suspense>
    </div>
  );
}
