// Whose opinion is shown.
import { describe, expect, it } from "vitest";
import { heardFrom, OWN, voicesOf } from "../src/ui/voice";

const insight = { value: 0.5, opinions: { dqn: { value: 0.1 } }, unavailable: { zero: "not installed" } };

describe("second opinions", () => {
  it("are listed with those that stay silent", () => {
    expect(voicesOf(insight)).toEqual(["dqn", "zero"]);
    expect(voicesOf({ value: 1 })).toEqual([]);
  });

  it("are shown when chosen, and the insight's own otherwise", () => {
    expect(heardFrom(insight, OWN)).toEqual({ insight, why: null });
    expect(heardFrom(insight, "dqn")).toEqual({ insight: { value: 0.1 }, why: null });
    expect(heardFrom(null, "dqn")).toEqual({ insight: null, why: null });
  });

  it("say why they are silent", () => {
    expect(heardFrom(insight, "zero")).toEqual({ insight: null, why: "not installed" });
    expect(heardFrom(insight, "gone").why).toContain("no analysis");
  });
});
