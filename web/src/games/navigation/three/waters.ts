// Water with its grid, winds and whirlpools.
import {
  CanvasTexture,
  CircleGeometry,
  type Color,
  DoubleSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Shape,
  ShaderMaterial,
  ShapeGeometry,
  Vector2,
} from "three";
import type { NavigationHazard, NavigationSeaMap } from "../../../wire";
import { headingOf } from "../playback";
import type { Palette } from "./palette";

export interface Waters {
  group: Group;
  /** Lets the sea move; seconds. */
  at(time: number): void;
}

/** The height of the waves, the same in the shader and for the ships that ride on them. */
export function swell(x: number, z: number, time: number): number {
  return 0.035 * Math.sin(1.1 * x + 1.3 * time) + 0.03 * Math.sin(0.9 * z - 1.1 * time) + 0.018 * Math.sin(2.3 * (x + z) + 2.1 * time);
}

const VERTEX = `
  uniform float time;
  varying vec2 tile;
  varying vec3 normal3;
  varying vec3 eye;
  float swell(vec2 p) {
    return 0.035 * sin(1.1 * p.x + 1.3 * time) + 0.03 * sin(0.9 * p.y - 1.1 * time) + 0.018 * sin(2.3 * (p.x + p.y) + 2.1 * time);
  }
  void main() {
    vec3 p = position;
    tile = p.xz;
    p.y += swell(p.xz);
    float e = 0.05;
    float dx = (swell(p.xz + vec2(e, 0.0)) - swell(p.xz - vec2(e, 0.0))) / (2.0 * e);
    float dz = (swell(p.xz + vec2(0.0, e)) - swell(p.xz - vec2(0.0, e))) / (2.0 * e);
    normal3 = normalize(vec3(-dx, 1.0, -dz));
    vec4 world = modelMatrix * vec4(p, 1.0);
    eye = normalize(cameraPosition - world.xyz);
    gl_Position = projectionMatrix * viewMatrix * world;
  }
`;

const FRAGMENT = `
  uniform float time;
  uniform vec3 water;
  uniform vec3 shallow;
  uniform vec3 line;
  uniform vec2 size;
  varying vec2 tile;
  varying vec3 normal3;
  varying vec3 eye;
  void main() {
    vec3 sun = normalize(vec3(-0.5, 0.9, -0.35));
    vec3 n = normal3;
    n.xz += 0.022 * vec2(sin(7.0 * tile.x + 3.0 * tile.y + 1.7 * time), cos(6.0 * tile.y - 4.0 * tile.x + 1.3 * time));
    n = normalize(n);
    float shine = pow(max(dot(reflect(-sun, n), eye), 0.0), 60.0);
    float rim = pow(1.0 - max(dot(n, eye), 0.0), 3.0);
    float light = 0.72 + 0.38 * dot(n, sun);
    vec3 colour = mix(water, shallow, clamp(rim + 0.25 * light, 0.0, 1.0)) * light;
    vec2 from = abs(fract(tile + 0.5) - 0.5);
    vec2 wide = fwidth(tile);
    float near = max(1.0 - from.x / (1.2 * wide.x), 1.0 - from.y / (1.2 * wide.y));
    bool inside = tile.x > -0.01 && tile.y > -0.01 && tile.x < size.x + 0.01 && tile.y < size.y + 0.01;
    colour = mix(colour, line, inside ? 0.5 * clamp(near, 0.0, 1.0) : 0.0);
    colour += 0.2 * shine;
    if (!inside) colour *= 0.9;
    vec2 out2 = max(max(-tile, tile - size), 0.0);
    colour = mix(colour, shallow, smoothstep(4.0, 60.0, length(out2)));
    gl_FragColor = vec4(colour, 1.0);
    #include <colorspace_fragment>
  }
`;

export function buildWaters(map: NavigationSeaMap, palette: Palette): Waters {
  const group = new Group();
  const reach = 70;
  const plane = new PlaneGeometry(map.width + 2 * reach, map.height + 2 * reach, 200, 200);
  plane.rotateX(-Math.PI / 2);
  plane.translate(map.width / 2, 0, map.height / 2);
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      time: { value: 0 },
      water: { value: palette.water },
      shallow: { value: palette.shallow },
      line: { value: palette.line },
      size: { value: new Vector2(map.width, map.height) },
    },
  });
  group.add(new Mesh(plane, material));
  const moving = (map.hazards ?? []).map((hazard) => {
    const made = hazard.kind === "wind" ? wind(hazard, palette.deep) : whirlpool(hazard, palette);
    group.add(made.group);
    return made;
  });
  return {
    group,
    at(time) {
      material.uniforms.time!.value = time;
      for (const each of moving) each.at(time);
    },
  };
}

/** Three arrowheads that run along the tile. */
function wind(hazard: NavigationHazard, colour: Color): Waters {
  const head = new Shape([new Vector2(0, 0.26), new Vector2(0.28, -0.1), new Vector2(0, 0.02), new Vector2(-0.28, -0.1)]);
  const geometry = new ShapeGeometry(head);
  geometry.rotateX(-Math.PI / 2);
  const group = new Group();
  group.position.set(hazard.x + 0.5, 0.1, hazard.y + 0.5);
  group.rotation.y = (-headingOf(hazard.way) * Math.PI) / 180;
  const arrows = [0, 1, 2].map(() => {
    const arrow = new Mesh(geometry, new MeshBasicMaterial({ color: colour, transparent: true, side: DoubleSide }));
    group.add(arrow);
    return arrow;
  });
  return {
    group,
    at(time) {
      arrows.forEach((arrow, i) => {
        const u = (time * 0.6 + i / 3 + hazard.x * 0.13) % 1;
        arrow.position.z = 0.42 - 0.84 * u;
        arrow.material.opacity = 0.95 * Math.sin(Math.PI * u);
      });
    },
  };
}

function whirlpool(hazard: NavigationHazard, palette: Palette): Waters {
  const spin = hazard.way === "clockwise" ? -1 : 1;
  const disc = new CircleGeometry(0.98, 48);
  disc.rotateX(-Math.PI / 2);
  const texture = new CanvasTexture(spiral(palette, spin));
  const mesh = new Mesh(disc, new MeshBasicMaterial({ map: texture, transparent: true }));
  const group = new Group();
  group.position.set(hazard.x + 1, 0.09, hazard.y + 1);
  group.add(mesh);
  return {
    group,
    at(time) {
      mesh.rotation.y = spin * time * 0.9;
    },
  };
}

function spiral(palette: Palette, spin: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const pen = canvas.getContext("2d")!;
  const glow = pen.createRadialGradient(128, 128, 8, 128, 128, 128);
  glow.addColorStop(0, `#${palette.deep.getHexString()}ee`);
  glow.addColorStop(0.8, `#${palette.water.getHexString()}cc`);
  glow.addColorStop(1, `#${palette.water.getHexString()}00`);
  pen.fillStyle = glow;
  pen.fillRect(0, 0, 256, 256);
  pen.strokeStyle = "#ffffffbb";
  pen.lineCap = "round";
  for (let arm = 0; arm < 3; arm++) {
    pen.beginPath();
    for (let i = 0; i <= 60; i++) {
      const angle = (arm * 2 * Math.PI) / 3 + spin * i * 0.07;
      const reach = 10 + i * 1.85;
      pen.lineTo(128 + reach * Math.cos(angle), 128 + reach * Math.sin(angle));
    }
    pen.lineWidth = 5;
    pen.stroke();
  }
  return canvas;
}
