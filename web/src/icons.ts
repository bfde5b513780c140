/** Icons as inline drawings on a grid of 24; strokes take the colour of the text. */

const SHAPES = {
  layers: '<path d="m12 3 9 5-9 5-9-5z"/><path d="m3 12.5 9 5 9-5"/><path d="m3 16.7 9 5 9-5" opacity=".5"/>',
  path: '<circle cx="5.5" cy="18.5" r="2.5"/><circle cx="18.5" cy="5.5" r="2.5"/><path d="M8 18.5h6a4 4 0 0 0 0-8h-4a3 3 0 0 1 0-6h5.8"/>',
  crowd: '<circle cx="9" cy="7.5" r="3"/><path d="M3.5 19.5c0-3.6 2.4-6 5.5-6s5.500 2.400 5.500 6"/><circle cx="17" cy="9" r="2.300"/><path d="M16.600 14.200c2.500 0 4.300 1.900 4.300 4.800"/>',
  walk: '<path d="M2.500 12s3.500-6.500 9.500-6.500 9.500 6.500 9.500 6.500-3.500 6.500-9.500 6.500S2.500 12 2.500 12z"/><circle cx="12" cy="12" r="2.800"/>',
  edit: '<path d="M4 20l1-4.500L16.200 4.300a1.800 1.800 0 0 1 2.500 0l1 1a1.800 1.800 0 0 1 0 2.500L8.500 19z"/><path d="m14 6.500 3.500 3.500"/>',
  replay: '<path d="M3.500 12a8.500 8.500 0 1 0 2.700-6.200"/><path d="M3.500 3.500V8H8"/><path d="M10 8.800v6.400l5.200-3.200z"/>',
  play: '<path d="M7 4.800v14.400l12-7.200z" fill="currentColor"/>',
  pause: '<path d="M8 5v14M16 5v14" stroke-width="3"/>',
  step: '<path d="M5.500 5v14l9-7z" fill="currentColor"/><path d="M18 5v14" stroke-width="2.500"/>',
  reset: '<path d="M4.500 12a7.500 7.500 0 1 0 2.300-5.400"/><path d="M4.500 3.500v4.300h4.300"/>',
  undo: '<path d="M8.500 5 4 9.500 8.500 14"/><path d="M4 9.500h10a5.500 5.500 0 0 1 0 11h-3"/>',
  redo: '<path d="M15.500 5 20 9.500 15.500 14"/><path d="M20 9.500H10a5.500 5.500 0 0 0 0 11h3"/>',
  save: '<path d="M12 4v11"/><path d="m7.500 11 4.500 4.500 4.500-4.500"/><path d="M4.500 19.500h15"/>',
  open: '<path d="M3.500 18V6.500a1.500 1.500 0 0 1 1.500-1.500h4l2 2.500h7a1.500 1.500 0 0 1 1.500 1.500v1.500"/><path d="M3.500 18.500 6 11h15.500L19 18.500z"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400"/>',
  moon: '<path d="M20 14.200A8.300 8.300 0 0 1 9.800 4a8.300 8.300 0 1 0 10.200 10.200z"/>',
  map: '<path d="m3.500 6 5.700-2.300 5.600 2.300 5.700-2.300V18l-5.700 2.300L9.200 18l-5.700 2.300z"/><path d="M9.200 3.700V18M14.800 6v14.300"/>',
  cube: '<path d="m12 3 8 4.500v9L12 21l-8-4.500v-9z"/><path d="m4 7.500 8 4.500 8-4.500M12 12v9"/>',
  fit: '<path d="M4 9V5.500A1.500 1.500 0 0 1 5.500 4H9M15 4h3.500A1.500 1.500 0 0 1 20 5.500V9M20 15v3.500a1.500 1.500 0 0 1-1.500 1.500H15M9 20H5.500A1.500 1.500 0 0 1 4 18.500V15"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  minus: '<path d="M5 12h14"/>',
  close: '<path d="M6 6l12 12M18 6 6 18"/>',
  trash: '<path d="M4.500 6.500h15M9 6.500V4.500h6v2M6.500 6.500l1 13h9l1-13"/>',
  target: '<circle cx="12" cy="12" r="7.500"/><circle cx="12" cy="12" r="2.500"/><path d="M12 2v3M12 19v3M2 12h3M19 12h3"/>',
  cone: '<path d="M12 4 6.500 19.500h11z"/><path d="M8.400 14h7.200M4 19.500h16"/>',
  polygon: '<path d="m5 8 8-4 7 7-4 9-10-2z"/>',
  rectangle: '<rect x="4" y="6" width="16" height="12" rx="1"/>',
  flag: '<path d="M6 21V4h11l-2.500 4L17 12H6"/>',
  swap: '<path d="M7 4 3.500 7.500 7 11M3.500 7.500H17M17 13l3.500 3.500L17 20M20.500 16.500H7"/>',
  chevron: '<path d="m7 10 5 5 5-5"/>',
  help: '<circle cx="12" cy="12" r="8.500"/><path d="M9.500 9.500a2.500 2.500 0 1 1 3.600 2.200c-.8.400-1.100.900-1.100 1.800"/><path d="M12 16.600v.1" stroke-width="2.400"/>',
  panel: '<rect x="3.500" y="4.500" width="17" height="15" rx="2"/><path d="M14.500 4.500v15"/>',
} as const;

export type IconName = keyof typeof SHAPES;

/** The drawing as an element of 20 pixels. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  svg.innerHTML = SHAPES[name];
  return svg;
}
