/** Written by web/make_protocol.py from the models of footway.studio: do not edit. */

/** An area of the map, in a building on a floor. */
export interface AreaFacts {
  name: string;
  index: number;
  role: string;
  floor: string | null;
}

/** One polygon of an area, on a floor of a building. */
export interface AreaPolygon {
  name: string;
  role: string;
  floor: number;
}

/** The medial axis; in a building with heights and the sheet of each edge. */
export interface AxisLayer {
}

/** A layer is no longer wanted. */
export interface Cancelled {
}

/** The state of a character; `forces` are the names of the rows of the array, m/s2. */
export interface Character {
  id: number;
  position: Place;
  velocity: [number, number];
  goal: Place | null;
  radius: number;
  speed: number;
  population: number;
  mode: string;
  forces: Array<string>;
  time: number;
  floor: string | null;
  goal_floor: string | null;
}

/** Label of the kernels that are being compiled; None if none are. */
export interface Compiling {
  what: string | null;
}

/** Discs of the corridor map. */
export interface DiscsLayer {
  coverage: number;
}

/** The open document; a building has floors and links. */
export interface Document {
  name: string;
  version: number;
  opened: number;
  what: "map" | "scenario" | "recording";
  origin: [number, number];
  bounds: [number, number, number, number];
  area: number | null;
  holes: number;
  kinds: Array<string>;
  areas: Array<AreaFacts>;
  repairs: Array<string>;
  largest_radius: number;
  count_to_add: number;
  gallery: Array<string>;
  recent: Array<RecentFacts>;
  locked: string | null;
  boxed: boolean;
  edited: boolean;
  undo: number;
  redo: number;
  floors: Array<FloorFacts>;
  links: Array<LinkFacts>;
}

/** A floor of a building. */
export interface FloorFacts {
  name: string;
  elevation: number;
  area: number;
}

/** Positions of the crowd: ids, m, mm/s, mm, populations; obstacles in recordings. */
export interface Frame {
  time: number;
  step: number;
  n: number;
  frame: number | null;
}

/** Walkable space, terrain and areas. */
export interface Ground {
  terrain: Array<TerrainFacts>;
  areas: Array<AreaPolygon>;
  sheets: Array<SheetFacts>;
}

/** What a page needs first; `server` tells a restarted server from the one before. */
export interface Hello {
  document: Document;
  crowd: Status | null;
  properties: Array<PropertyFacts>;
  models: Array<ModelFacts>;
  version: string;
  server: string;
  compiling: string | null;
}

/** An item of the map; it has no corners if it has holes or several parts. */
export interface ItemFacts {
  kind: "area" | "terrain" | "obstacle" | "wall" | "floor" | "link";
  name: string;
}

/** A link of a building; `floors` from the lowest to the highest; `closed` by an edit. */
export interface LinkFacts {
  name: string;
  kind: string;
  floors: Array<string>;
  direction: string | null;
  closed: boolean;
}

/** A local model. */
export interface ModelFacts {
  name: string;
  label: string;
}

/** The number of an obstacle. */
export interface Obstacle {
  id: number;
}

/** Dynamic obstacles of the crowd; in a building with the sheet of each. */
export interface Obstacles {
}

/** A path, and backbone, radii and walls of its corridor. */
export interface Path {
  length: number;
  clearance: number;
  milliseconds: number;
  method: string;
  turns: number | null;
  duration: number | null;
  weighted_length: number | null;
  ground: Record<string, number> | null;
  floors: Array<string>;
  links: Array<string>;
}

/** The narrowest point of the widest path; in a building with the sheet that it is on. */
export interface PinchFacts {
  at: Place;
  width: number;
  walls: [Place, Place];
  where: string | null;
}

/** Place */
export type Place = [number, number];

/** Size and profile of a population; the means of properties that vary. */
export interface PopulationFacts {
  radius: number;
  speed: number;
  lane: number;
  noise: number;
  shortcut: number;
  corner: number;
  preferences: Record<string, number>;
  follow: "cmm" | "miran" | "irm";
  sigma: number;
  spacing: number;
  look: number;
  clearance: number;
  steering: number;
  boundary: number;
  congestion: number;
  habit: number;
  index: number;
  name: string;
  count: number;
  to_come: number;
  behaviour: string;
  grouped: boolean;
}

/** Progress of a layer; `of` is the number of its request. */
export interface Progress {
  of: number;
  done: number;
  total: number;
}

/** The declaration of a property of characters, for forms. */
export interface PropertyFacts {
  name: string;
  label: string;
  help: string;
  kind: "number" | "choice" | "weights";
  unit: string;
  slider: [number, number, number] | null;
  choices: Array<string>;
  default: number | string | Record<string, number>;
}

/** A document that was open before; `key` opens it again. */
export interface RecentFacts {
  key: string;
  name: string;
  about: string;
}

/** The recording of the live crowd. */
export interface RecordingFacts {
  running: boolean;
  seconds: number;
  frames: number;
  megabytes: number;
  ended: string | null;
}

/** What the page can show about a refusal. */
export interface RefusalFacts {
  reason: string | null;
  pinch: PinchFacts | null;
  end: "start" | "goal" | null;
  nearest: Place | null;
}

/** A recording as a whole, with its measures over time: see `replay.plots`. */
export interface Replay {
  frames: number;
  duration: number;
  characters: number;
  names: Array<string>;
  complete: boolean;
  step: number;
}

/** A roadmap was edited. */
export interface RoadmapEdited {
  method: string;
  state: number;
}

/** A roadmap; local paths that are not straight come as points and offsets. */
export interface RoadmapLayer {
  method: string;
  nodes: number;
  edges: number;
  components: number;
  cycles: number;
  resolution: number | null;
  seconds: number;
  state: number;
  undo: boolean;
  redo: boolean;
  closed: Array<Array<Place>>;
}

/** A floor of a building, or a part of a link, of which the index is -1 for the other. */
export interface SheetFacts {
  name: string;
  floor: number;
  link: number;
  low: number;
  high: number;
  sides: Array<Place>;
  joined: Array<number>;
}

/** The live crowd; `touched` if it is not the one that the document describes. */
export interface Status {
  running: boolean;
  touched: boolean;
  time: number;
  characters: number;
  to_come: number;
  speed: number;
  arrivals: number;
  exited: number;
  stuck: number;
  seed: number;
  model: string | null;
  fault: string | null;
  recording: RecordingFacts | null;
  closed: Array<string>;
  populations: Array<PopulationFacts>;
  steps_per_second: number;
  milliseconds_per_step: number;
}

/** One polygon of terrain, on a floor of a building. */
export interface TerrainFacts {
  kind: string;
  floor: number;
}

/** Trajectories: points, offsets of characters, ids. */
export interface Trails {
  every: number;
}

/** A camera motion (n, 7): time, position, direction. */
export interface Walk {
  duration: number;
  length: number;
  clearance: number | null;
  arrivals: Array<number>;
}

/** Arrays of Ground. */
export interface GroundArrays {
  points: Float32Array;
  rings: Int32Array;
  polygons: Int32Array;
  lines: Float32Array;
  polygon_sheets?: Int32Array;
  line_sheets?: Int32Array;
  terrain_points: Float32Array;
  terrain_rings: Int32Array;
  terrain_polygons: Int32Array;
  area_points: Float32Array;
  area_rings: Int32Array;
  area_polygons: Int32Array;
}

/** Arrays of AxisLayer. */
export interface AxisLayerArrays {
  points: Float32Array;
  clearance: Float32Array;
  offsets: Int32Array;
  heights?: Float32Array;
  sheets?: Int32Array;
}

/** Arrays of DiscsLayer. */
export interface DiscsLayerArrays {
  discs: Float32Array;
}

/** Arrays of RoadmapLayer. */
export interface RoadmapLayerArrays {
  vertices: Float32Array;
  edges: Int32Array;
  weights: Float32Array;
  open: Uint8Array;
  points?: Float32Array;
  offsets?: Int32Array;
}

/** Arrays of Path. */
export interface PathArrays {
  path: Float32Array;
  heights?: Float32Array;
  sheets?: Int32Array;
  disc_heights?: Float32Array;
  disc_sheets?: Int32Array;
  times?: Float32Array;
  route?: Float32Array;
  backbone?: Float32Array;
  radii?: Float32Array;
  left?: Float32Array;
  right?: Float32Array;
}

/** Arrays of Character. */
export interface CharacterArrays {
  points: Float32Array;
  radii: Float32Array;
  heights?: Float32Array;
  sheets?: Int32Array;
  attraction: Float32Array;
  forces: Float32Array;
}

/** Arrays of Walk. */
export interface WalkArrays {
  camera: Float32Array;
}

/** Arrays of Replay. */
export interface ReplayArrays {
  times: Float32Array;
  frames: Int32Array;
  frame_times: Float32Array;
  present: Int32Array;
  density: Float32Array;
  speed: Float32Array;
  flow: Float32Array;
}

/** Arrays of Frame. */
export interface FrameArrays {
  id: Uint32Array;
  at: Float32Array;
  velocity: Int16Array;
  radius: Uint16Array;
  population: Uint8Array;
  height?: Float32Array;
  sheet?: Uint16Array;
  discs?: Float32Array;
  disc_sheets?: Uint16Array;
}

/** Arrays of Trails. */
export interface TrailsArrays {
  points: Float32Array;
  offsets: Int32Array;
  ids: Uint32Array;
}

/** Arrays of ItemFacts. */
export interface ItemFactsArrays {
  corners: Float32Array;
}

/** Arrays of Obstacles. */
export interface ObstaclesArrays {
  discs: Float32Array;
  ids: Uint32Array;
  sheets?: Uint16Array;
}

/** Request the open document and the status of the crowd. */
export interface HelloFields {
}

/** Open a built-in map or scenario, or a document that was open before. */
export interface OpenFields {
  name: string;
}

/** Request the walkable space, terrain and areas. */
export interface GroundFields {
}

/** Request a layer to draw over the map. */
export interface LayerFields {
  name: string;
  method?: "grid" | "rrm" | "rrm_star" | "rrrm" | "voronoi_prm" | null;
  resolution?: number | null;
  radius?: number;
}

/** Request a path and its corridor; in a building with the floors or links of its ends. */
export interface PathFields {
  start: Place;
  goal: Place;
  floors?: [string, string] | null;
  by?: "length" | "time";
  radius?: number;
  method?: "short" | "cmm" | "irm" | "miran";
  clearance?: number | null;
  speed?: number;
  preferences?: Record<string, number>;
  sigma?: number;
  spacing?: number;
}

/** Start, stop, reset or record the crowd, or set its speed or its local model. */
export interface CrowdFields {
  do: "start" | "pause" | "step" | "reset" | "faster" | "status" | "record" | "stop-record" | "model";
  speed?: number | null;
  seed?: number | null;
  model?: "social_force" | "helbing_molnar" | "power_law" | "collision_free_speed" | "orca";
}

/** Add, remove or change characters. */
export interface PopulationFields {
  radius?: number | null;
  speed?: number | null;
  lane?: number | null;
  noise?: number | null;
  shortcut?: number | null;
  corner?: number | null;
  preferences?: Record<string, number> | null;
  follow?: "cmm" | "miran" | "irm" | null;
  sigma?: number | null;
  spacing?: number | null;
  look?: number | null;
  clearance?: number | null;
  steering?: number | null;
  boundary?: number | null;
  congestion?: number | null;
  habit?: number | null;
  do: "add" | "remove" | "change";
  name?: string | null;
  count?: number;
  behaviour?: "goals" | "wander";
  area?: string | null;
  floor?: string | null;
  goal?: string | Place | null;
  goal_floor?: string | null;
  then?: "repeat" | "stay" | "exit";
  index?: number | null;
}

/** Request the state of one character. */
export interface CharacterFields {
  id: number;
}

/** Add, move or remove a dynamic obstacle (a disc); `floor` is that of `at` in a building. */
export interface ObstacleFields {
  do: "add" | "move" | "remove";
  id?: number | null;
  at?: Place | null;
  floor?: string | null;
  radius?: number;
  velocity?: [number, number];
}

/** Request a camera motion from stop to stop; in a building with the floors of all of them. */
export interface WalkFields {
  start: Place;
  heading?: number | null;
  stops: Array<Place>;
  floors?: Array<string> | null;
  radius?: number;
  eye_height?: number;
  speed?: number;
}

/** Draw on the map; move, change or delete the topmost item at a point; undo, redo. */
export interface EditFields {
  do: "add" | "move" | "change" | "delete" | "close-link" | "open-link" | "undo" | "redo";
  what?: "obstacle" | "walkable" | "terrain" | "area" | "stairs" | "ramp" | "escalator" | "lift";
  kind?: string | null;
  name?: string | null;
  role?: "spawn" | "exit" | "goal" | null;
  polygon?: Array<Place> | null;
  at?: Place | null;
  to?: Place | null;
  floor?: string | null;
  link?: string | null;
  other?: string | null;
}

/** Request a recording as a whole, or one frame of it. */
export interface ReplayFields {
  frame?: number | null;
}

/** Request trajectories between two frames of a recording. */
export interface TrailsFields {
  first: number;
  last: number;
}

/** Stop the computation of a layer; `of` is the number of its request. */
export interface CancelFields {
  of: number;
}

/** Request the topmost item at a point of the map, in a building of a floor. */
export interface ItemFields {
  at: Place;
  floor?: string | null;
}

/** Edit a roadmap that is shown as a layer; `state` is the number of edits that the page saw. */
export interface RoadmapFields {
  do: "add-node" | "move-node" | "remove-node" | "add-edge" | "remove-edge" | "set-weight" | "close" | "open" | "undo" | "redo";
  method: "grid" | "rrm" | "rrm_star" | "rrrm" | "voronoi_prm";
  resolution?: number | null;
  radius?: number;
  state: number;
  node?: number | null;
  other?: number | null;
  edge?: number | null;
  at?: Place | null;
  weight?: number;
  polygon?: Array<Place> | null;
}

/** Requests by their kind. */
export interface Requests {
  hello: HelloFields;
  open: OpenFields;
  ground: GroundFields;
  layer: LayerFields;
  path: PathFields;
  crowd: CrowdFields;
  population: PopulationFields;
  character: CharacterFields;
  obstacle: ObstacleFields;
  walk: WalkFields;
  edit: EditFields;
  replay: ReplayFields;
  trails: TrailsFields;
  cancel: CancelFields;
  item: ItemFields;
  roadmap: RoadmapFields;
}

/** Replies by their kind. */
export interface Replies {
  hello: { ok: Hello; arrays: {} };
  open: { ok: Document; arrays: {} };
  ground: { ok: Ground; arrays: GroundArrays };
  layer: { ok: AxisLayer; arrays: AxisLayerArrays } | { ok: DiscsLayer; arrays: DiscsLayerArrays } | { ok: RoadmapLayer; arrays: RoadmapLayerArrays };
  path: { ok: Path; arrays: PathArrays };
  crowd: { ok: Status; arrays: {} };
  population: { ok: Status; arrays: {} };
  character: { ok: Character; arrays: CharacterArrays };
  obstacle: { ok: Obstacle; arrays: {} };
  walk: { ok: Walk; arrays: WalkArrays };
  edit: { ok: Document; arrays: {} };
  replay: { ok: Replay; arrays: ReplayArrays } | { ok: Frame; arrays: FrameArrays };
  trails: { ok: Trails; arrays: TrailsArrays };
  cancel: { ok: Cancelled; arrays: {} };
  item: { ok: ItemFacts; arrays: ItemFactsArrays };
  roadmap: { ok: RoadmapLayer; arrays: RoadmapLayerArrays };
}

/** Events by their kind. */
export interface Events {
  document: { ok: Document; arrays: {} };
  frame: { ok: Frame; arrays: FrameArrays };
  status: { ok: Status; arrays: {} };
  obstacles: { ok: Obstacles; arrays: ObstaclesArrays };
  compiling: { ok: Compiling; arrays: {} };
  progress: { ok: Progress; arrays: {} };
  roadmap: { ok: RoadmapEdited; arrays: {} };
}

/** Limits of the numbers in requests. */
export const LIMITS = {
  "layer": {
    "resolution": {
      "min": 0.05,
      "max": 100.0
    },
    "radius": {
      "min": 0.0,
      "max": 1000.0
    }
  },
  "path": {
    "radius": {
      "min": 0.0,
      "max": 1000.0
    },
    "clearance": {
      "min": 0.0,
      "max": 1000.0
    },
    "speed": {
      "min": 0.0,
      "max": 50.0
    },
    "sigma": {
      "min": 0.0,
      "max": 10000.0
    },
    "spacing": {
      "min": 0.1,
      "max": 10000.0
    }
  },
  "crowd": {
    "speed": {
      "min": 0.25,
      "max": 16.0
    },
    "seed": {
      "min": 0,
      "max": 2147483647
    }
  },
  "population": {
    "radius": {
      "min": 0.0,
      "max": 5.0
    },
    "speed": {
      "min": 0.0,
      "max": 20.0
    },
    "lane": {
      "min": -2.0,
      "max": 2.0
    },
    "noise": {
      "min": 0.0,
      "max": 2.0
    },
    "shortcut": {
      "min": 0.0,
      "max": 1000.0
    },
    "corner": {
      "min": -10.0,
      "max": 1.0
    },
    "sigma": {
      "min": 0.0,
      "max": 1000000.0
    },
    "spacing": {
      "min": 0.0,
      "max": 1000000.0
    },
    "look": {
      "min": 0.0,
      "max": 1000000.0
    },
    "clearance": {
      "min": 0.0,
      "max": 100.0
    },
    "steering": {
      "min": 0.0,
      "max": 1000.0
    },
    "boundary": {
      "min": 0.0,
      "max": 1000.0
    },
    "congestion": {
      "min": 0.0,
      "max": 10.0
    },
    "habit": {
      "min": 0.0,
      "max": 1.0
    },
    "count": {
      "min": 1,
      "max": 100000
    },
    "index": {
      "min": 0,
      "max": 100000
    }
  },
  "character": {
    "id": {
      "min": 0,
      "max": 2147483647
    }
  },
  "obstacle": {
    "id": {
      "min": 0,
      "max": 2147483647
    },
    "radius": {
      "min": 0.0,
      "max": 100.0
    }
  },
  "walk": {
    "heading": {
      "min": -100.0,
      "max": 100.0
    },
    "radius": {
      "min": 0.0,
      "max": 1000.0
    },
    "eye_height": {
      "min": 0.1,
      "max": 100.0
    },
    "speed": {
      "min": 0.0,
      "max": 20.0
    }
  },
  "replay": {
    "frame": {
      "min": 0,
      "max": 2147483647
    }
  },
  "trails": {
    "first": {
      "min": 0,
      "max": 2147483647
    },
    "last": {
      "min": 0,
      "max": 2147483647
    }
  },
  "cancel": {
    "of": {
      "min": 0,
      "max": 9007199254740992
    }
  },
  "roadmap": {
    "resolution": {
      "min": 0.05,
      "max": 100.0
    },
    "radius": {
      "min": 0.0,
      "max": 1000.0
    },
    "state": {
      "min": 0,
      "max": 9007199254740992
    },
    "node": {
      "min": 0,
      "max": 9007199254740992
    },
    "other": {
      "min": 0,
      "max": 9007199254740992
    },
    "edge": {
      "min": 0,
      "max": 9007199254740992
    },
    "weight": {
      "min": 0.001,
      "max": 1000.0
    }
  }
} as const;
