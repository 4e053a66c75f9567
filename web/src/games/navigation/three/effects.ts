// Fire at sea: balls with trails, muzzle flashes, smoke, splashes, bursts and grappling lines.
// Everything follows from a flight's progress, so that a replay can stand still or run backwards.
import {
  AdditiveBlending,
  BufferGeometry,
  CanvasTexture,
  Color,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshStandardMaterial,
  PointLight,
  SphereGeometry,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";
import type { Flight } from "../playback";
import type { Palette } from "./palette";

export interface Effects {
  group: Group;
  show(flights: readonly Flight[]): void;
}

const DECK = 0.24;

export function buildEffects(palette: Palette): Effects {
  const group = new Group();
  const puff = new CanvasTexture(softDisc());
  const iron = new MeshStandardMaterial({ color: new Color("#14202a"), roughness: 0.4 });
  const ballShape = new SphereGeometry(0.07, 12, 10);
  const flash = new PointLight(new Color("#ffd9a0"), 0, 5);
  const rope = new LineBasicMaterial({ color: palette.ink });

  function sprite(colour: string, size: number, opacity: number, at: Vector3, glow = false): Sprite {
    const made = new Sprite(new SpriteMaterial({ map: puff, color: new Color(colour), opacity, depthWrite: false, transparent: true }));
    if (glow) made.material.blending = AdditiveBlending;
    made.scale.setScalar(size);
    made.position.copy(at);
    return made;
  }
  function ball(flight: Flight): void {
    const path = pathOf(flight);
    const p = flight.progress;
    if (p <= 1) {
      const shot = new Mesh(ballShape, iron);
      shot.position.copy(path(p));
      group.add(shot);
      for (let i = 1; i <= 6; i++) {
        const back = p - 0.035 * i;
        if (back > 0) group.add(sprite("#ffffff", 0.13 - 0.012 * i, 0.32 - 0.045 * i, path(back)));
      }
    }
    if (p < 0.3) {
      const muzzle = path(0.12);
      group.add(sprite("#ffb45c", 0.9 * (1 - p / 0.3) + 0.2, 1 - p / 0.3, muzzle, true));
      flash.position.copy(muzzle).setY(0.6);
      flash.intensity = 6 * (1 - p / 0.3);
    }
    smoke(path, p);
    if (p > 1) (flight.hits ? burst : splash)(path(1), p - 1);
  }
  function smoke(path: (u: number) => Vector3, p: number): void {
    for (let i = 0; i < 5; i++) {
      const age = p - 0.03 * i;
      if (age <= 0 || age > 1.8) continue;
      const at = path(0.1 + 0.035 * i).add(new Vector3(0.05 * Math.sin(i * 2.1), 0.22 * age, 0.05 * Math.cos(i * 1.7)));
      group.add(sprite("#e6e2da", 0.22 + 0.34 * age, 0.5 * (1 - age / 1.8), at));
    }
  }
  function splash(at: Vector3, u: number): void {
    for (let i = 0; i < 9; i++) {
      const angle = (i * 2 * Math.PI) / 9;
      const reach = 0.1 + 0.32 * u;
      const height = 0.75 * u * (1 - u) * (1 + 0.4 * Math.sin(i * 5));
      const drop = new Vector3(at.x + reach * Math.cos(angle), height, at.z + reach * Math.sin(angle));
      group.add(sprite("#ffffff", 0.17 * (1 - 0.5 * u), 0.9 * (1 - u), drop));
    }
    group.add(sprite("#ffffff", 0.3 + 0.5 * u, 0.35 * (1 - u), new Vector3(at.x, 0.12 + 0.5 * u * (1 - u), at.z)));
  }
  function burst(at: Vector3, u: number): void {
    group.add(sprite(`#${palette.mark.getHexString()}`, 0.5 + 0.7 * u, 0.9 * (1 - u), new Vector3(at.x, 0.35, at.z), true));
    for (let i = 0; i < 7; i++) {
      const angle = i * 0.9;
      const bit = new Vector3(at.x + 0.6 * u * Math.cos(angle), 0.3 + 1.4 * u * (1 - u) + 0.05 * i, at.z + 0.6 * u * Math.sin(angle));
      group.add(sprite("#5b4a36", 0.1, 1 - u, bit));
    }
    group.add(sprite("#4d4a48", 0.4 + 0.6 * u, 0.5 * (1 - u), new Vector3(at.x, 0.45 + 0.5 * u, at.z)));
  }
  function hook(flight: Flight): void {
    const path = pathOf(flight);
    const end = Math.min(1, flight.progress);
    const points = Array.from({ length: 13 }, (_, i) => path((end * i) / 12));
    group.add(new Line(new BufferGeometry().setFromPoints(points), rope));
    group.add(sprite(`#${palette.mark.getHexString()}`, 0.18, 1, path(end)));
  }
  return {
    group,
    show(flights) {
      for (const old of [...group.children]) {
        group.remove(old);
        if (old instanceof Sprite) old.material.dispose();
        if (old instanceof Line) (old.geometry as BufferGeometry).dispose();
      }
      flash.intensity = 0;
      group.add(flash);
      for (const flight of flights) (flight.kind === "hook" ? hook : ball)(flight);
    },
  };
}

/** The arc of a flight from deck to deck, or into the water. */
function pathOf({ from, to, hits }: Flight): (u: number) => Vector3 {
  const high = 0.12 + 0.16 * Math.hypot(to.x - from.x, to.y - from.y);
  return (u) =>
    new Vector3(
      from.x + 0.5 + (to.x - from.x) * u,
      DECK * (hits ? 1 : 1 - u) + 4 * high * u * (1 - u),
      from.y + 0.5 + (to.y - from.y) * u,
    );
}

function softDisc(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  const soft = pen.createRadialGradient(32, 32, 2, 32, 32, 32);
  soft.addColorStop(0, "#ffffffff");
  soft.addColorStop(0.5, "#ffffff99");
  soft.addColorStop(1, "#ffffff00");
  pen.fillStyle = soft;
  pen.fillRect(0, 0, 64, 64);
  return canvas;
}
