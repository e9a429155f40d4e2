export const words = {
  empty: "No agents yet",
  emptyWhy:
    "An agent does the work that you give it. It acts in its own isolated sandbox, which has no network and cannot see the machine.",
  remove: "The agent is removed. Its history is kept.",
  purge: "Its sandbox, files and records are destroyed for good.",
};
