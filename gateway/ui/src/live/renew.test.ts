import { InfiniteQueryObserver, QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { renew } from "./renew";

it("a further page that is on its way arrives, and only then everything is asked again", async () => {
  const client = new QueryClient();
  const asked: number[] = [];
  let answer = () => {};
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ["list"],
    queryFn: ({ pageParam, signal }) => {
      asked.push(pageParam);
      if (pageParam === 0 || asked.length > 2) return Promise.resolve(pageParam);
      return new Promise<number>((done, fail) => {
        answer = () => done(pageParam);
        signal.addEventListener("abort", () => fail(new Error("broken off")));
      });
    },
    initialPageParam: 0,
    getNextPageParam: (last) => last + 1,
    retry: false,
  });
  const unwatch = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().data?.pages).toEqual([0]));
  void observer.fetchNextPage();
  await renew(client);
  expect(asked).toEqual([0, 1]);
  answer();
  await vi.waitFor(() => expect(asked).toEqual([0, 1, 0, 1]));
  await vi.waitFor(() => expect(observer.getCurrentResult().data?.pages).toEqual([0, 1]));
  unwatch();
});

it("what is on its way for the first time is asked once more, because its answer may be older than the change", async () => {
  const client = new QueryClient();
  const answers: ((text: string) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ["run", "r"],
    queryFn: () => new Promise<string>((done) => answers.push(done)),
  });
  const unwatch = observer.subscribe(() => undefined);
  await renew(client, { queryKey: ["run"] });
  await renew(client, { queryKey: ["run", "r"] });
  expect(answers).toHaveLength(1);
  answers[0]?.("no step");
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.("a step");
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("a step"));
  expect(answers).toHaveLength(2);
  unwatch();
});

it("what failed on its way for the first time is asked once more as well", async () => {
  const client = new QueryClient();
  let asked = 0;
  let fail = () => {};
  const observer = new QueryObserver(client, {
    queryKey: ["run"],
    queryFn: () => {
      asked += 1;
      return asked > 1
        ? Promise.resolve("here")
        : new Promise<string>((_, no) => (fail = () => no(new Error("away"))));
    },
    retry: false,
  });
  const unwatch = observer.subscribe(() => undefined);
  void renew(client);
  fail();
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("here"));
  expect(asked).toBe(2);
  unwatch();
});
