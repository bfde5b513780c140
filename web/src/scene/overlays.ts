/**
 * Layers that the server computes: medial axis, discs of the corridor map, roadmaps.
 *
 * A layer is one entry of OVERLAYS and one function of studio/layers.py; see CONTRIBUTING.md.
 */
import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, type Object3D } from "three";
import type { Point, Theme } from "../store";
import type { AxisLayerArrays, DiscsLayerArrays, LayerFields, RoadmapLayer, RoadmapLayerArrays } from "../protocol";
import type { Numbers, Reply } from "../wire";
import { METHODS, PALETTES, RAMP_CSS, ramp } from "./colours";
import { Discs } from "./discs";
import { gap } from "./polygons";
import { Strokes, chain, climb } from "./strokes";

/** A colour scale with its ends, and its middle if it is not linear; or a line of text with its colour. */
export type Legend = { title: string } & ({ ramp: string; low: string; middle?: string; high: string } | { text: string; colour: string });

/** The scale of clearances: colours grow with the square root, so that narrow places differ. */
export function clearanceLegend(title: string, widest: number): Legend {
  return { title, ramp: RAMP_CSS, low: "0 m", middle: `${(widest / 4).toFixed(1)} m`, high: `${widest.toFixed(1)} m` };
}

/** The colour of a clearance, written into `out`. */
export function clearanceColour(clearance: number, widest: number, out: Color): Color {
  return ramp(Math.sqrt(clearance / (widest || 1)), out);
}

/** The drawing of a layer. */
export interface Overlay {
  /** Text of its switch. */
  readonly label: string;
  /** Heading of the group of switches that it belongs to. */
  readonly group: "Map" | "Roadmaps";
  /** Colour beside the switch. */
  readonly swatch?: string;
  /** Fields of the request: the name of the layer, and options. */
  readonly fields: LayerFields & { resolution?: number };
  /** What is added to the scene. */
  readonly objects: Object3D[];
  draw(reply: Reply<"layer">, theme: Theme): void;
  /** Show the part on some sheets of a building, with heights by a factor. */
  arrange?: (present: Set<number>, scale: number) => void;
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
  private arrays: AxisLayerArrays | undefined;

  draw({ arrays }: Reply<"layer">): void {
    this.arrays = arrays as AxisLayerArrays;
    this.arrange(new Set(), 0);
  }

  /** Draw the axis; in a building that of some sheets. */
  arrange(present: Set<number>, scale: number): void {
    if (this.arrays === undefined) return;
    const { points, clearance, offsets, sheets, heights } = this.arrays;
    this.objects[0].scale.z = sheets === undefined || scale > 0 ? Math.max(1, scale) : 1e-6;
    const at: number[] = [];
    const colours: number[] = [];
    const colour = new Color();
    this.widest = clearance.reduce((most, value) => Math.max(most, value), 0);
    const shade = (i: number): number[] => clearanceColour(clearance[i], this.widest, colour).toArray() as number[];
    for (let e = 0; e + 1 < offsets.length; e++) {
      if (sheets !== undefined && !present.has(sheets[e])) continue;
      if (heights === undefined) at.push(...chain(points, 0.04, offsets[e], offsets[e + 1]));
      else at.push(...climb(points.subarray(2 * offsets[e]), heights.subarray(offsets[e], offsets[e + 1]), 0.04, () => true));
      for (let i = offsets[e]; i + 1 < offsets[e + 1]; i++) colours.push(...shade(i), ...shade(i + 1));
    }
    this.lines.draw(at, colours);
  }

  legend(): Legend {
    return clearanceLegend("Clearance", this.widest);
  }
}

/** Discs that cover most of the free space. */
class DiscsOverlay implements Overlay {
  readonly label = "Corridor map discs";
  readonly group = "Map";
  readonly fields = { name: "discs" };
  private readonly discs = new Discs(3);
  readonly objects = [this.discs];

  private widest = 0;
  private text = "";

  draw({ arrays }: Reply<"layer">, theme: Theme): void {
    const { discs } = arrays as DiscsLayerArrays;
    const shown = distinct(discs);
    const colour = new Color();
    const colours = new Float32Array(shown.length);
    this.widest = shown[2] ?? 0;
    for (let i = 0; i < shown.length; i += 3) clearanceColour(shown[i + 2], this.widest, colour).toArray(colours, i);
    this.discs.draw(shown, { colour: PALETTES[theme].disc, fill: 0.06, rim: 0.9 }, colours);
    const count = (values: Numbers): string => (values.length / 3).toLocaleString("en");
    this.text = `Radius of discs; ${count(shown)} of ${count(discs)} drawn`;
  }

  legend(): Legend {
    return clearanceLegend(this.text, this.widest);
  }
}

/** Number of edges above which they are drawn as hairlines. */
const MANY = 6000;

/** A roadmap: edges as wide lines with dots at the vertices, or as hairlines if there are very many. */
export class RoadmapOverlay implements Overlay {
  readonly group = "Roadmaps";
  readonly label: string;
  readonly swatch: string;
  readonly fields: Overlay["fields"];
  readonly objects: Object3D[];
  private readonly lines: Strokes;
  private readonly hairs: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly dots = new Discs(6);
  private readonly regions: Strokes;
  private text = "";
  /** Of the last reply; undefined before the first. */
  facts: RoadmapLayer | undefined;
  private arrays: RoadmapLayerArrays | undefined;

  constructor(method: keyof typeof METHODS, label: string) {
    this.label = label;
    this.swatch = METHODS[method];
    this.fields = { name: "roadmap", method };
    this.lines = new Strokes({ colour: this.swatch, width: 1.8, opacity: 0.9, order: 5 });
    this.hairs = hairs(this.swatch);
    this.regions = new Strokes({ colour: "#dc2626", width: 2, dash: 0.3, order: 6, z: 0.06 });
    this.objects = [this.lines, this.hairs, this.dots, this.regions];
  }

  draw(reply: Reply<"layer"> | Reply<"roadmap">): void {
    const [ok, arrays] = [reply.ok as RoadmapLayer, reply.arrays as RoadmapLayerArrays];
    [this.facts, this.arrays] = [ok, arrays];
    this.regions.draw(ok.closed.flatMap((ring) => chain(new Float32Array([...ring, ring[0]].flat()), 0.06)));
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

  /** Where a node is, m. */
  node(k: number): Point | undefined {
    const { vertices } = this.arrays ?? {};
    return vertices === undefined || 2 * k >= vertices.length ? undefined : [vertices[2 * k], vertices[2 * k + 1]];
  }

  /** The node nearest to a point, within `reach` metres. */
  nodeAt([x, y]: Point, reach: number): number | undefined {
    const { vertices = new Float32Array(0) } = this.arrays ?? {};
    return nearest(vertices.length / 2, reach, (k) => Math.hypot(vertices[2 * k] - x, vertices[2 * k + 1] - y));
  }

  /** The edge nearest to a point, within `reach` metres, seen as a straight line. */
  edgeAt(at: Point, reach: number): number | undefined {
    const { edges = new Int32Array(0) } = this.arrays ?? {};
    return nearest(edges.length / 2, reach, (e) => gap(at, this.node(edges[2 * e]) ?? at, this.node(edges[2 * e + 1]) ?? at));
  }
}

/** The number of the least value below a limit. */
function nearest(count: number, limit: number, value: (k: number) => number): number | undefined {
  let found: number | undefined;
  let least = limit;
  for (let k = 0; k < count; k++) {
    const away = value(k);
    if (away < least) [least, found] = [away, k];
  }
  return found;
}

/** Ends of the pieces of all edges: x, y, z each. */
function edgeLines({ vertices, edges, points, offsets, open }: RoadmapLayerArrays): number[] {
  const at: number[] = [];
  if (points !== undefined && offsets !== undefined && offsets.length > 1) {
    for (let e = 0; e + 1 < offsets.length; e++) if (open[e] !== 0) at.push(...chain(points, 0.05, offsets[e], offsets[e + 1]));
    return at;
  }
  for (let e = 0; e < edges.length; e += 2) {
    if (open[e >> 1] === 0) continue;
    const [a, b] = [2 * edges[e], 2 * edges[e + 1]];
    at.push(vertices[a], vertices[a + 1], 0.05, vertices[b], vertices[b + 1], 0.05);
  }
  return at;
}

/** The size of a roadmap, with a note if it is disconnected (doors narrower than two cells cause that). */
function size({ nodes, edges, components, resolution }: RoadmapLayer): string {
  const words = `${nodes.toLocaleString("en")} nodes, ${edges.toLocaleString("en")} edges`;
  if (components < 2) return words;
  const cells = resolution === null ? "" : `: cells of ${resolution} m may be too large for doors`;
  return `${words}, ${components.toLocaleString("en")} parts${cells}`;
}

function hairs(colour: string): LineSegments<BufferGeometry, LineBasicMaterial> {
  const material = new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.25, depthWrite: false });
  const made = new LineSegments(new BufferGeometry(), material);
  made.frustumCulled = made.visible = false;
  made.renderOrder = 5;
  return made;
}

/** Part of a disc's radius within which no centre of a smaller one is drawn. */
const APART = 0.75;

/** Readable discs, the largest first: those whose centre is deep inside a larger one are left out. */
export function distinct(discs: Numbers): Float32Array {
  const order = Array.from({ length: discs.length / 3 }, (_, i) => 3 * i).sort((a, b) => discs[b + 2] - discs[a + 2]);
  const kept: number[] = [];
  for (const i of order) {
    const [x, y] = [discs[i], discs[i + 1]];
    let inside = false;
    for (let k = 0; k < kept.length && !inside; k += 3) inside = Math.hypot(x - kept[k], y - kept[k + 1]) < APART * kept[k + 2];
    if (!inside) kept.push(x, y, discs[i + 2]);
  }
  return new Float32Array(kept);
}
