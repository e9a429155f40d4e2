import { HomePage } from "~/domains/home/page";
import { output, WorkspaceActivity } from "./activity-parts";
import { tab } from "./arriving-tab";

/** The first page, with what happened in the workspace. */
export const HomeRoute = () => (
  <HomePage activity={(choice) => tab("what happened", <WorkspaceActivity output={output} {...choice} />)} />
);
