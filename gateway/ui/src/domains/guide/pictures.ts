// The pictures of the guides. They are those of the repository, and come when they are in view.
import runLive from "../../../pictures/run-live.png?url";
import runTimeline from "../../../pictures/run-timeline.png?url";
import teamBuilder from "../../../pictures/team-builder.png?url";

export const PICTURES: Record<string, string> = {
  "run-live": runLive,
  "run-timeline": runTimeline,
  "team-builder": teamBuilder,
};
