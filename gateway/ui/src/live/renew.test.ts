import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
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
