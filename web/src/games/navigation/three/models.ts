// Ships and rocks, built of a few shapes each.
import {
  BufferGeometry,
  type Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  ExtrudeGeometry,
  Float32BufferAttribute,
  Group,
  IcosahedronGeometry,
  Mesh,
  MeshStandardMaterial,
  Shape,
} from "three";
import type { NavigationRock } from "../../../wire";
import type { ShipRow } from "../plan";

/** Larger than their tiles, so that they can be told apart from afar. */
const SCALE = 1.45;

const SIZES: Record<string, { length: number; masts: number }> = {
  sloop: { length: 0.8, masts: 1 },
  cutter: { length: 0.9, masts: 1 },
  dhow: { length: 0.95, masts: 2 },
  war_brig: { length: 1.0, masts: 2 },
  baghlah: { length: 1.05, masts: 3 },
  war_frigate: { length: 1.12, masts: 3 },
};

/** A ship whose bow looks to -z, its waterline at y = 0. */
export function buildShip(row: ShipRow, wood: Color, cloth: Color): Group {
  const { length, masts } = SIZES[row.name] ?? { length: 0.95, masts: 2 };
  const ship = new Group();
  const timber = new MeshStandardMaterial({ color: wood, roughness: 0.75 });
  const trim = new MeshStandardMaterial({ color: wood.clone().offsetHSL(0, 0, 0.16), roughness: 0.8 });
  const canvas = new MeshStandardMaterial({ color: cloth, roughness: 0.95, side: DoubleSide });

  const hull = new Mesh(hullGeometry(length, 0.2), timber);
  hull.position.y = -0.06;
  const deck = new Mesh(hullGeometry(length * 0.94, 0.02), trim);
  deck.position.y = 0.145;
  ship.add(hull, deck);
  const poop = new Mesh(new CylinderGeometry(length * 0.19, length * 0.17, 0.1, 4, 1), timber);
  poop.rotation.y = Math.PI / 4;
  poop.position.set(0, 0.2, length * 0.34);
  ship.add(poop);
  for (let i = 0; i < masts; i++) {
    const z = masts === 1 ? -0.04 : -0.3 * length + (0.56 * length * i) / (masts - 1);
    const tall = masts > 1 && i === Math.floor(masts / 2) ? 0.78 : 0.66;
    ship.add(mast(z, tall, trim));
    ship.add(sail(z, 0.2, tall * 0.46, 0.42 * length, canvas));
    ship.add(sail(z, 0.2 + tall * 0.5, tall * 0.3, 0.3 * length, canvas));
  }
  const sprit = new Mesh(new CylinderGeometry(0.012, 0.018, 0.34 * length, 6), trim);
  sprit.rotation.x = -Math.PI / 2.6;
  sprit.position.set(0, 0.2, -0.6 * length);
  ship.add(sprit);
  ship.traverse((part) => {
    part.castShadow = true;
  });
  ship.scale.setScalar(SCALE);
  return ship;
}

function hullGeometry(length: number, height: number): BufferGeometry {
  const half = length / 2;
  const beam = length * 0.19;
  const outline = new Shape();
  outline.moveTo(0, half);
  outline.bezierCurveTo(beam, half * 0.55, beam, -half * 0.2, beam * 0.82, -half);
  outline.lineTo(-beam * 0.82, -half);
  outline.bezierCurveTo(-beam, -half * 0.2, -beam, half * 0.55, 0, half);
  const solid = new ExtrudeGeometry(outline, { depth: height, bevelEnabled: true, bevelSize: 0.02, bevelThickness: 0.02, bevelSegments: 2, steps: 1 });
  // Drawn in the x-y plane with the bow to +y; laid down, the bow looks to -z.
  solid.rotateX(-Math.PI / 2);
  return solid;
}

function mast(z: number, tall: number, material: MeshStandardMaterial): Mesh {
  const pole = new Mesh(new CylinderGeometry(0.012, 0.02, tall, 6), material);
  pole.position.set(0, 0.15 + tall / 2, z);
  return pole;
}

/** A square sail that bellies forward. */
function sail(z: number, y: number, height: number, width: number, material: MeshStandardMaterial): Mesh {
  const [across, up] = [8, 4];
  const points: number[] = [];
  const faces: number[] = [];
  for (let j = 0; j <= up; j++) {
    for (let i = 0; i <= across; i++) {
      const u = (2 * i) / across - 1;
      const v = j / up;
      const belly = 0.1 * (1 - u * u) * Math.sin(Math.PI * (0.15 + 0.75 * v));
      points.push(((u * width) / 2) * (1 - 0.14 * v), y + v * height, z - 0.03 - belly);
    }
  }
  for (let j = 0; j < up; j++) {
    for (let i = 0; i < across; i++) {
      const a = j * (across + 1) + i;
      const b = a + across + 1;
      faces.push(a, b, a + 1, b, b + 1, a + 1);
    }
  }
  const cloth = new BufferGeometry();
  cloth.setAttribute("position", new Float32BufferAttribute(points, 3));
  cloth.setIndex(faces);
  cloth.computeVertexNormals();
  return new Mesh(cloth, material);
}

/** A rock, jagged by its place, so that no two look alike and each always looks the same. */
export function buildRock(rock: NavigationRock, land: Color): Group {
  const large = rock.size === "large";
  const group = new Group();
  const material = new MeshStandardMaterial({ color: land, roughness: 1, flatShading: true });
  const count = large ? 3 : 2;
  for (let i = 0; i < count; i++) {
    const size = (large ? 0.5 : 0.24) * (1 - 0.28 * i);
    const stone = new IcosahedronGeometry(size, 1);
    const place = stone.getAttribute("position");
    for (let k = 0; k < place.count; k++) {
      // By the corner's place and not its number, since faces that meet there share it.
      const [px, py, pz] = [place.getX(k), place.getY(k), place.getZ(k)].map((v) => Math.round(v * 1000)) as [number, number, number];
      const wobble = 1 + 0.24 * noise(rock.x + px + 0.7 * py + i, rock.y + pz + 0.3 * py);
      place.setXYZ(k, place.getX(k) * wobble, place.getY(k) * wobble * (large ? 1.35 : 0.9), place.getZ(k) * wobble);
    }
    stone.computeVertexNormals();
    const part = new Mesh(stone, material);
    const angle = 2.4 * i + rock.x;
    part.position.set(i ? 0.3 * size * Math.cos(angle) * 2 : 0, 0.02, i ? 0.3 * size * Math.sin(angle) * 2 : 0);
    part.castShadow = true;
    group.add(part);
  }
  if (large) {
    const peak = new Mesh(new ConeGeometry(0.22, 0.5, 5), material);
    peak.position.set(0.05, 0.55, -0.04);
    peak.castShadow = true;
    group.add(peak);
  }
  return group;
}

function noise(a: number, b: number): number {
  const x = Math.sin(a * 12.9898 + b * 78.233) * 43758.5453;
  return 2 * (x - Math.floor(x)) - 1;
}
