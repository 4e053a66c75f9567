// The 3D view: the same moments as the chart shows, on moving water, with a camera to turn.
import {
  AmbientLight,
  CanvasTexture,
  DirectionalLight,
  DoubleSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  SRGBColorSpace,
  Scene,
  Sprite,
  SpriteMaterial,
  TubeGeometry,
  CatmullRomCurve3,
  Vector3,
  WebGLRenderer,
} from "three";
import { reducedMotion } from "../../../prefs";
import type { NavigationPhaseEntry, NavigationSeaMap } from "../../../wire";
import type { ArenaProps } from "../arena";
import { type ShipRow, sideOfSeat } from "../plan";
import { inSight, type ShipAt } from "../playback";
import { buildEffects } from "./effects";
import { buildRock, buildShip } from "./models";
import { type Orbit, orbit } from "./orbit";
import { type Palette, readPalette } from "./palette";
import { buildWaters, swell } from "./waters";

export interface Stage {
  show(props: ArenaProps): void;
  close(): void;
}

export function openStage(box: HTMLElement, map: NavigationSeaMap, rows: ShipRow[]): Stage {
  const palette = readPalette();
  const renderer = new WebGLRenderer({ antialias: true });
  renderer.setPixelRatio(Math.min(2, devicePixelRatio));
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  box.append(renderer.domElement);

  const scene = new Scene();
  scene.background = palette.shallow;
  scene.add(new AmbientLight(0xffffff, 1.5));
  scene.add(sunlight(map));
  const waters = buildWaters(map, palette);
  const effects = buildEffects(palette);
  scene.add(waters.group, effects.group, rocks(map, palette));
  const ships = rows.map((row, seat) => buildShip(row, palette.sides[sideOfSeat(seat)]!, palette.sails[sideOfSeat(seat)]!));
  const lanes = rows.map((row) => rangeLanes(row, palette));
  const plans = new Group();
  scene.add(...ships, ...lanes, plans);

  const camera = new PerspectiveCamera(38, 1, 0.1, 200);
  const eye = orbit(renderer.domElement, new Vector3(map.width / 2, 0, 0.53 * map.height), Math.max(map.width, map.height));
  const marks = [1, 2, 3, 4, 5, 6].map((phase) => phaseMark(phase, palette));
  let shown: ArenaProps | null = null;
  let drawn: readonly NavigationPhaseEntry[] | null = null;

  const sized = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = box;
    renderer.setSize(width, height, false);
    camera.aspect = width / Math.max(1, height);
    camera.updateProjectionMatrix();
    eye.fit(camera, seaCorners(map));
  });
  sized.observe(box);

  function draw(milliseconds: number): void {
    const time = reducedMotion() ? 0 : milliseconds / 1000;
    waters.at(time);
    if (shown) {
      for (const [seat, at] of shown.moment.ships.entries()) sail(ships[seat]!, lanes[seat]!, at, time, shown.ranges);
      effects.show(shown.moment.flights);
      watch(eye, shown);
      if (drawn !== shown.ghost) {
        drawn = shown.ghost;
        sketchPlan(plans, shown, palette, marks);
      }
    }
    aim(camera, eye);
    renderer.render(scene, camera);
  }
  renderer.setAnimationLoop(draw);
  return {
    show(props) {
      shown = props;
    },
    close() {
      renderer.setAnimationLoop(null);
      sized.disconnect();
      eye.close();
      scene.traverse((part) => {
        if (part instanceof Mesh) part.geometry.dispose();
      });
      for (const mark of marks) {
        mark.map?.dispose();
        mark.dispose();
      }
      renderer.dispose();
      renderer.domElement.remove();
    },
  };
}

/** While a turn is played, the camera comes to where the ships are that are afloat. */
function watch(eye: Orbit, { moment, playing }: ArenaProps): void {
  if (!playing || reducedMotion()) {
    eye.follow(null, 0);
    return;
  }
  const seen = inSight(moment.ships);
  const [xs, ys] = [seen.map((ship) => ship.x), seen.map((ship) => ship.y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const apart = Math.hypot(right - left, bottom - top);
  eye.follow(new Vector3((left + right + 1) / 2, 0, (top + bottom + 1) / 2), 9 + 1.5 * apart);
}

function sunlight(map: NavigationSeaMap): Group {
  const sun = new DirectionalLight(0xfff3dd, 2.6);
  const middle = new Vector3(map.width / 2, 0, map.height / 2);
  sun.position.set(middle.x - 10, 20, middle.z - 7);
  sun.target.position.copy(middle);
  sun.castShadow = true;
  const reach = Math.max(map.width, map.height) * 0.75;
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, far: 60 });
  sun.shadow.mapSize.set(1024, 1024);
  const group = new Group();
  group.add(sun, sun.target);
  return group;
}

function rocks(map: NavigationSeaMap, palette: Palette): Group {
  const group = new Group();
  for (const rock of map.rocks ?? []) {
    const made = buildRock(rock, palette.land);
    made.position.set(rock.x + 0.5, 0, rock.y + 0.5);
    group.add(made);
  }
  return group;
}

/** Put a ship where it is: on the swell, leaning into its turn, going down when it sinks. */
function sail(ship: Group, lanes: Group, at: ShipAt, time: number, ranges: boolean): void {
  const [x, z] = [at.x + 0.5, at.y + 0.5];
  const height = swell(x, z, time);
  ship.visible = at.sunk < 1;
  ship.position.set(x, height - 0.9 * at.sunk, z);
  ship.rotation.order = "YXZ";
  ship.rotation.y = (-at.heading * Math.PI) / 180;
  ship.rotation.z = 0.28 * at.bank + 0.05 * Math.sin(1.7 * time + x) + 0.9 * at.sunk;
  ship.rotation.x = 0.04 * Math.sin(1.3 * time + z) + 0.5 * at.sunk;
  lanes.visible = ranges && at.sunk === 0;
  lanes.position.set(x, 0.13, z);
  lanes.rotation.y = ship.rotation.y;
}

/** Where the guns reach on either side. */
function rangeLanes(row: ShipRow, palette: Palette): Group {
  const group = new Group();
  const material = new MeshBasicMaterial({ color: palette.ink, transparent: true, opacity: 0.2, side: DoubleSide, depthWrite: false });
  for (const side of [1, -1]) {
    const lane = new PlaneGeometry(row.range, 0.8);
    lane.rotateX(-Math.PI / 2);
    lane.translate(side * (0.5 + row.range / 2), 0, 0);
    group.add(new Mesh(lane, material));
  }
  return group;
}

function seaCorners({ width, height }: NavigationSeaMap): Vector3[] {
  return [new Vector3(0, 0, 0), new Vector3(width, 0, 0), new Vector3(0, 0, height), new Vector3(width, 0, height)];
}

/** The number of a phase on a disc, as the chart has it. */
function phaseMark(phase: number, palette: Palette): SpriteMaterial {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = palette.mark.getStyle();
  pen.arc(32, 32, 30, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = palette.onMark.getStyle();
  pen.font = "700 40px sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(String(phase), 32, 35);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return new SpriteMaterial({ map: texture, depthTest: false });
}

/** The ghost of a plan: a ribbon over the water, and where each phase ends its number. */
function sketchPlan(group: Group, props: ArenaProps, palette: Palette, marks: SpriteMaterial[]): void {
  for (const old of [...group.children]) {
    group.remove(old);
    if (old instanceof Mesh) old.geometry.dispose();
  }
  if (!props.ghost) return;
  const material = new MeshBasicMaterial({ color: palette.mark });
  for (const seat of props.ghostSeats) {
    const points = props.ghost.flatMap((e, i) => [...(i === 0 ? [e.start[seat]!] : []), e.moved[seat]!, e.drifted[seat]!]);
    const path = points.filter((p, i) => i === 0 || p.x !== points[i - 1]!.x || p.y !== points[i - 1]!.y);
    if (path.length < 2) continue;
    const curve = new CatmullRomCurve3(path.map((p) => new Vector3(p.x + 0.5, 0.2, p.y + 0.5)));
    group.add(new Mesh(new TubeGeometry(curve, 12 * path.length, 0.05, 6), material));
    for (const [place, phase] of phaseEnds(props.ghost, seat)) {
      const mark = marks[phase - 1];
      if (!mark) continue;
      const sprite = new Sprite(mark);
      sprite.position.copy(place);
      sprite.scale.setScalar(0.62);
      sprite.renderOrder = phase;
      group.add(sprite);
    }
  }
}

/** Where the ship is after each phase; of phases that end on one tile, the last. */
function phaseEnds(ghost: readonly NavigationPhaseEntry[], seat: number): [Vector3, number][] {
  const ends = new Map<string, [Vector3, number]>();
  for (const { drifted, phase } of ghost) {
    const { x, y } = drifted[seat]!;
    ends.set(`${x},${y}`, [new Vector3(x + 0.5, 0.6, y + 0.5), phase]);
  }
  return [...ends.values()];
}

function aim(camera: PerspectiveCamera, eye: Orbit): void {
  camera.position.copy(eye.position());
  camera.lookAt(eye.target);
}
