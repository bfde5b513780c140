/**
 * Layers that the server computes: medial axis, discs of the corridor map, roadmaps.
 *
 * A layer is one entry of OVERLAYS and one function of studio/layers.py; see CONTRIBUTING.md.
 */
import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, type Object3D } from "three";
import type { Theme } from "../store";
import type { Arrays, Facts, Numbers, Reply } from "../wire";
import { METHODS, PALETTES, RAMP_CSS, ramp } from "./colours";
import { Discs } from "./discs";
import { Strokes, chain } from "./strokes";

/** A colour scale with its ends, or a line of text with its colour. */
export type Legend = { title: string } & ({ ramp: string; low: string; high: string } | { text: string; colour: string });

/** The drawing of a layer. */
export interface Overlay {
  /** Text of its switch. */
  readonly label: string;
  /** Heading of the group of switches that it belongs to. */
  readonly group: "Map" | "Roadmaps";
  /** Colour beside the switch. */
  readonly swatch?: string;
  /** Fields of the request: the name of the layer, and options. */
  readonly fields: Facts;
  /** What is added to the scene. */
  readonly objects: Object3D[];
  draw(reply: Reply, theme: Theme): void;
  legend?(): Legend;
}

/** All layers by the name of their switch. */
export const OVERLAYS: Record<string, () => Overlay> = {
  axis: () => new AxisOverlay(),
  discs: () => new DiscsOverlay(),
  grid: () => new RoadmapOverlay("grid", "Grid (GRM)"),
  rrm: () => new RoadmapOverlay("rrm", "Reachability (RRM)"),
  rrm_star: () => new RoadmapOverlay("rrm_star", "With cycles (RRM*)"),
  rrrm: () => new RoadmapOverlay("rrrm", "Retracted (RRRM)"),
  voronoi_prm: () => new RoadmapOverlay("voronoi_prm", "Voronoi-PRM"),
};

/** The medial axis, coloured by clearance. */
class AxisOverlay implements Overlay {
  readonly label = "Medial axis";
  readonly group = "Map";
  readonly fields = { name: "axis" };
  private readonly lines = new Strokes({ colour: "#ffffff", width: 2.2, order: 4 });
  readonly objects = [this.lines];
  /** Largest clearance in metres. */
  private widest = 0;

  draw({ arrays: { points, clearance, offsets } }: Reply): void {
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
    this.lines.draw(at, colours);
  }

  legend(): Legend {
    return { title: "Clearance", ramp: RAMP_CSS, low: "0 m", high: `${this.widest.toFixed(1)} m` };
  }
}

/** Discs that cover most of the free space. */
class DiscsOverlay implements Overlay {
  readonly label = "Corridor map discs";
  readonly group = "Map";
  readonly fields = { name: "discs" };
  private readonly discs = new Discs(3);
  readonly objects = [this.discs];

  draw({ arrays }: Reply, theme: Theme): void {
    this.discs.draw(distinct(arrays.discs), { colour: PALETTES[theme].disc, fill: 0.04, rim: 0.5 });
  }
}

/** Number of edges above which they are drawn as hairlines. */
const MANY = 6000;

/** A roadmap: edges as wide lines with dots at the vertices, or as hairlines if there are very many. */
class RoadmapOverlay implements Overlay {
  readonly group = "Roadmaps";
  readonly label: string;
  readonly swatch: string;
  readonly fields: Facts;
  readonly objects: Object3D[];
  private readonly lines: Strokes;
  private readonly hairs: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly dots = new Discs(6);
  private text = "";

  constructor(method: keyof typeof METHODS, label: string) {
    this.label = label;
    this.swatch = METHODS[method];
    this.fields = { name: "roadmap", method };
    this.lines = new Strokes({ colour: this.swatch, width: 1.8, opacity: 0.9, order: 5 });
    this.hairs = hairs(this.swatch);
    this.objects = [this.lines, this.hairs, this.dots];
  }

  draw({ ok, arrays }: Reply): void {
    const { vertices } = arrays;
    const at = edgeLines(arrays);
    const many = at.length / 6 > MANY;
    this.lines.draw(many ? [] : at);
    this.hairs.geometry.dispose();
    this.hairs.geometry = new BufferGeometry();
    this.hairs.geometry.setAttribute("position", new BufferAttribute(new Float32Array(many ? at : []), 3));
    const dots = many ? [] : Array.from({ length: vertices.length / 2 }, (_, i) => [vertices[2 * i], vertices[2 * i + 1], 0]);
    this.dots.draw(new Float32Array(dots.flat()), { colour: this.swatch, fill: 1, rim: 1, pixels: 3 });
    this.text = size(ok);
  }

  legend(): Legend {
    return { title: "Roadmaps", text: this.text, colour: this.swatch };
  }
}

/** Ends of the pieces of all edges: x, y, z each. */
function edgeLines({ vertices, edges, points, offsets }: Arrays): number[] {
  const at: number[] = [];
  if (points !== undefined && offsets !== undefined && offsets.length > 1) {
    for (let e = 0; e + 1 < offsets.length; e++) at.push(...chain(points, 0.05, offsets[e], offsets[e + 1]));
    return at;
  }
  for (let e = 0; e < edges.length; e += 2) {
    const [a, b] = [2 * edges[e], 2 * edges[e + 1]];
    at.push(vertices[a], vertices[a + 1], 0.05, vertices[b], vertices[b + 1], 0.05);
  }
  return at;
}

/** The size of a roadmap, with a note if it is disconnected (doors narrower than two cells cause that). */
function size(facts: Facts): string {
  const { nodes, edges, components, resolution } = facts as Record<string, number | null>;
  const words = `${nodes?.toLocaleString("en")} nodes, ${edges?.toLocaleString("en")} edges`;
  if ((components ?? 0) < 2) return words;
  const cells = resolution === null ? "" : `: cells of ${resolution} m may be too large for doors`;
  return `${words}, ${components?.toLocaleString("en")} parts${cells}`;
}

function hairs(colour: string): LineSegments<BufferGeometry, LineBasicMaterial> {
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
