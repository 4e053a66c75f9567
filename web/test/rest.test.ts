// Requests: what a refusal becomes, and which are sent again.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getRoom, makeRoom, Refused } from "../src/rest";

const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
const stopping = () => answer(503, { code: "shutting_down", message: "the server stops", retry_after: 1 });

describe("a request", () => {
  const fetched = vi.fn<typeof fetch>();
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("fetch", fetched);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    fetched.mockReset();
  });

  it("is sent again when the server stops, after the time that it names", async () => {
    fetched.mockResolvedValueOnce(stopping()).mockResolvedValueOnce(answer(201, { room: "r" }));
    const made = makeRoom({ game: "gomoku" });
    await vi.advanceTimersByTimeAsync(999);
    expect(fetched).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await made).room).toBe("r");
    expect(fetched.mock.calls[1]).toEqual(fetched.mock.calls[0]);
  });

  it("is given up after a few times", async () => {
    fetched.mockImplementation(async () => stopping());
    const failed = getRoom("r").catch((reason: Refused) => reason.code);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failed).toBe("shutting_down");
    expect(fetched).toHaveBeenCalledTimes(6);
  });

  it("is sent once when it is refused for another reason", async () => {
    fetched.mockResolvedValue(answer(503, { code: "busy", message: "busy", retry_after: 1 }));
    await expect(getRoom("r")).rejects.toThrow(Refused);
    expect(fetched).toHaveBeenCalledTimes(1);
  });
});
