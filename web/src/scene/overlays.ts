/** Layers that the server computes: medial axis, discs of the corridor map, roadmaps. */
import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments } from "three";
import type { Arrays, Numbers } from "../wire";
import { METHODS, ramp } from "./colours";
import { Discs } from "./discs";
import { Strokes, chain } from "./strokes";

export type Method = keyof typeof METHODS;

/** Facts about a roadmap. */
export interface Made {
  nodes: number;
  edges: number;
  /** Number of connected components. */
  components: number;
  /** Side of a cell in metres. */
  resolution: number | null;
}

/** Edges as wide lines with dots at the vertices; as hairlines if there are very many. */
interface RoadmapLook {
  lines: Strokes;
  hairs: LineSegments<BufferGeometry, LineBasicMaterial>;
  dots: Discs;
}

/** Number of edges above which they are drawn as hairlines. */
const MANY = 6000;

export class Overlays {
  readonly root = new Group();
  readonly axis = new Strokes({ colour: "#ffffff", width: 2.2, order: 4 });
  readonly discs = new Discs(3);
  readonly roadmaps: Record<Method, RoadmapLook>;
  readonly made: Partial<Record<Method, Made>> = {};
  /** Largest clearance on the axis in metres, for the legend. */
  widest = 0;

  constructor() {
    const look = (method: Method): RoadmapLook => ({
      lines: new Strokes({ colour: METHODS[method], width: 1.8, opacity: 0.9, order: 5 }),
      hairs: hairs(METHODS[method]),
      dots: new Discs(6),
    });
    const methods = Object.keys(METHODS) as Method[];
    this.roadmaps = Object.fromEntries(methods.map((method) => [method, look(method)])) as typeof this.roadmaps;
    this.root.add(this.axis, this.discs);
    for (const { lines, hairs, dots } of Object.values(this.roadmaps)) this.root.add(lines, hairs, dots);
  }

  showAxis({ points, clearance, offsets }: Arrays): void {
    const at: number[] = [];
    const colours: number[] = [];
    const colour = new Color();
    this.widest = (clearance as Float32Array).reduce((most, value) => Math.max(most, value), 0);
    const shade = (i: number): number[] =>
      ramp(Math.sqrt(clearance[i] / (this.widest || 1)), colour).toArray() as number[];
    for (let e = 0; e + 1 < offsets.length; e++) {
      at.push(...chain(points, 0.04, offsets[e], offsets[e + 1]));
      for (let i = offsets[e]; i + 1 < offsets[e + 1]; i++) colours.push(...shade(i), ...shade(i + 1));
    }
    this.axis.draw(at, colours);
  }

  showDiscs(discs: Numbers, colour: string): void {
    this.discs.draw(distinct(discs), { colour, fill: 0.04, rim: 0.5 });
  }

  showRoadmap(method: Method, arrays: Arrays): void {
    const { vertices, edges, points, offsets } = arrays;
    const at: number[] = [];
    if (points !== undefined && offsets !== undefined && offsets.length > 1) {
      for (let e = 0; e + 1 < offsets.length; e++) at.push(...chain(points, 0.05, offsets[e], offsets[e + 1]));
    } else {
      for (let e = 0; e < edges.length; e += 2) {
        const [a, b] = [2 * edges[e], 2 * edges[e + 1]];
        at.push(vertices[a], vertices[a + 1], 0.05, vertices[b], vertices[b + 1], 0.05);
      }
    }
    const look = this.roadmaps[method];
    const many = at.length / 6 > MANY;
    look.lines.draw(many ? [] : at);
    look.hairs.geometry.dispose();
    look.hairs.geometry = new BufferGeometry();
    look.hairs.geometry.setAttribute("position", new BufferAttribute(new Float32Array(many ? at : []), 3));
    const dots = many ? [] : Array.from({ length: vertices.length / 2 }, (_, i) => [vertices[2 * i], vertices[2 * i + 1], 0]);
    look.dots.draw(new Float32Array(dots.flat()), { colour: METHODS[method], fill: 1, rim: 1, pixels: 3 });
  }

  /** Clear the layers after another map was opened. */
  clear(): void {
    this.axis.draw([]);
    this.discs.visible = false;
    for (const { lines, hairs, dots } of Object.values(this.roadmaps)) {
      lines.draw([]);
      hairs.visible = dots.visible = false;
    }
  }
}

function hairs(colour: string): RoadmapLook["hairs"] {
  const material = new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.25, depthWrite: false });
  const made = new LineSegments(new BufferGeometry(), material);
  made.frustumCulled = made.visible = false;
  made.renderOrder = 5;
  return made;
}

/** Distinguishable discs: of many that nearly coincide (around a round corner) one is drawn. */
function distinct(discs: Numbers): Float32Array {
  const kept: number[] = [];
  for (let i = 0; i < discs.length; i += 3) {
    const [x, y, r] = [discs[i], discs[i + 1], discs[i + 2]];
    let twin = false;
    for (let k = 0; k < kept.length && !twin; k += 3) {
      const apart = Math.hypot(x - kept[k], y - kept[k + 1]) + Math.abs(r - kept[k + 2]);
      twin = apart < 0.12 * Math.min(r, kept[k + 2]);
    }
    if (!twin) kept.push(x, y, r);
  }
  return new Float32Array(kept);
}
