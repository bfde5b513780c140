/** Colours of the scene for the two themes, and colour ramps for numbers. */
import { Color } from "three";
import type { Theme } from "../store";

export interface Palette {
  outside: string;
  floor: string;
  wall: string;
  /** Upright faces, which get less light than the ground. */
  side: string;
  /** The floor in 3D, where light falls on it. */
  ground: string;
  cap: string;
  edge: string;
  corridor: string;
  backbone: string;
  path: string;
  disc: string;
  pinch: string;
  sky: string;
  shade: string;
  draft: string;
  /** Stairs, ramps, escalators and lifts. */
  link: string;
  /** The same, closed. */
  shut: string;
}

export const PALETTES: Record<Theme, Palette> = {
  light: {
    outside: "#e4e8ed",
    floor: "#fbfaf7",
    ground: "#fbfaf7",
    wall: "#aab3c0",
    side: "#d3d8df",
    cap: "#c5ccd6",
    edge: "#7b8696",
    corridor: "#3b82f6",
    backbone: "#2563eb",
    path: "#e0562b",
    disc: "#64748b",
    pinch: "#dc2626",
    sky: "#dbe6f3",
    shade: "#b9ad9c",
    draft: "#7c3aed",
    link: "#bcd4ea",
    shut: "#eda9a4",
  },
  dark: {
    outside: "#0f1318",
    floor: "#232a34",
    ground: "#4a5568",
    wall: "#3b4655",
    side: "#8593a8",
    cap: "#475468",
    edge: "#7d8ca3",
    corridor: "#60a5fa",
    backbone: "#7db4ff",
    path: "#ff8a5c",
    disc: "#8ea0b8",
    pinch: "#ff6b6b",
    sky: "#27344a",
    shade: "#9aa0ab",
    draft: "#a78bfa",
    link: "#3d5f85",
    shut: "#8a3b3f",
  },
};

/** Colours of the roadmaps' methods. */
export const METHODS = {
  grid: "#0d9488",
  rrm: "#9333ea",
  rrm_star: "#db2777",
  rrrm: "#ca8a04",
  voronoi_prm: "#2563eb",
} as const;

/** Colours of populations, distinguishable with colour blindness. */
export const POPULATIONS = ["#2f7de1", "#e8743b", "#19a979", "#945ecf", "#d6336c", "#13a4b4", "#b58900", "#6c7a89"];

const TERRAIN: Record<string, string> = {
  road: "#7a736c",
  sidewalk: "#d9cdb4",
  pavement: "#d9cdb4",
  green: "#9cc48a",
  lawn: "#9cc48a",
  meadow: "#9cc48a",
  grass: "#9cc48a",
  grassland: "#9cc48a",
  forest: "#6fa276",
  trees: "#6fa276",
  water: "#8fb9dc",
  sand: "#e6d3a1",
  mud: "#b39b80",
  gravel: "#d9c9a0",
  crossing: "#e3c565",
  building: "#d9a08a",
  dirt: "#bfa184",
  parking: "#c9b3d1",
  park: "#a9cd97",
};
const OTHERS = ["#b6a6d8", "#e0a99b", "#8fc7c0", "#d3c56f", "#c69ab5", "#9db4d0"];

/** The colour of a terrain kind: by its name if it is known, else one of six; darker in the dark theme. */
export function terrainColour(kind: string, kinds: string[], theme: Theme): string {
  const known = Object.keys(TERRAIN).find((word) => kind.toLowerCase().includes(word));
  const colour = known === undefined ? OTHERS[Math.max(0, kinds.indexOf(kind)) % OTHERS.length] : TERRAIN[known];
  return theme === "light" ? colour : `#${new Color(colour).multiplyScalar(0.55).getHexString()}`;
}

const ROLES: Record<string, string> = { spawn: "#2f7de1", exit: "#19a979", goal: "#e8743b" };

/** The colour of a named area by its role. */
export function areaColour(role: string | undefined): string {
  return ROLES[role ?? ""] ?? "#945ecf";
}

const RAMP = ["#3b2f7d", "#31688e", "#21918c", "#5ec962", "#fde725"].map((hex) => new Color(hex));
const HEAT = ["#fff0a8", "#fecb5b", "#f8873c", "#d93a2f", "#7d1140"].map((hex) => new Color(hex));

/** Colours of slow, medium and fast characters, and the speed at which the ramp ends, m/s. */
export const SPEEDS = ["#c72e29", "#edb84d", "#29949e"];
export const SPEED_CSS = `linear-gradient(90deg,${SPEEDS.join(",")})`;

/** The CSS gradient of a ramp, for legends: CSS mixes colours in another way, so it gets many of them. */
export const RAMP_CSS = `linear-gradient(90deg, ${Array.from({ length: 33 }, (_, i) => `#${ramp(i / 32, new Color()).getHexString()}`).join(",")})`;
export const HEAT_CSS = `linear-gradient(90deg, ${HEAT.map((colour) => `#${colour.getHexString()}`).join(",")})`;

/** The colour at t in 0..1 of the clearance ramp, written into `out`. */
export function ramp(t: number, out: Color, stops: Color[] = RAMP): Color {
  const at = Math.min(0.9999, Math.max(0, t)) * (stops.length - 1);
  const low = Math.floor(at);
  return out.copy(stops[low]).lerp(stops[low + 1], at - low);
}

/** The same for densities. */
export function heat(t: number, out: Color): Color {
  return ramp(t, out, HEAT);
}
