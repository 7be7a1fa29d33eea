// The viewer of the public map pages (crates/http-pages/src/map), as far as the console uses it.

type MapLine = {
  code: number;
  name: string;
  translation?: string;
  color: string;
  stations: MapStation[];
};

type MapStation = {
  code: number;
  name: string;
  yomi: string;
  translation?: string;
  formerly?: string[];
  /** x, y, width, height; what is no name comes first. */
  boxes: [number, number, number, number][];
  /** How many of them are no name. */
  marks: number;
  x: number;
  y: number;
  lines: MapLine[];
};

declare module '$map/network.js' {
  export class Network {
    readonly id: string;
    readonly name: string;
    readonly edition: string;
    readonly credits: string;
    readonly tag: string;
    readonly width: number;
    readonly height: number;
    /** The index of the station that is shown first. */
    readonly centre: number;
    readonly lines: MapLine[];
    readonly stations: MapStation[];
    readonly byCode: Map<string, MapStation>;
    at(x: number, y: number, reach: number): MapStation | undefined;
  }
  /** Undefined when there is no such map. */
  export function load(id: string): Promise<Network | undefined>;
}

declare module '$map/view.js' {
  import type { Network } from '$map/network.js';
  type Place = { x: number; y: number };
  type Hooks = {
    moved: () => void;
    stale: () => void;
    troubled: (isSo: boolean) => void;
    painted?: (view: View) => void;
  };

  export class View {
    constructor(canvas: HTMLCanvasElement, hooks: Hooks);
    readonly canvas: HTMLCanvasElement;
    readonly ink: CanvasRenderingContext2D;
    readonly dpr: number;
    readonly width: number;
    readonly height: number;
    readonly network: Network | undefined;
    readonly camera: Place & { scale: number };
    /** The scale at which the whole map is seen. */
    readonly fitting: number;
    insets: { left: number; right: number; top: number; bottom: number };
    style: 'light' | 'dark';
    inJapanese: boolean | undefined;
    station: MapStation | undefined;
    line: MapLine | undefined;
    open(network: Network): void;
    close(): void;
    draw(): void;
    place(camera: Place & { scale: number }): void;
    glide(factor: number): void;
    fly(x: number, y: number, scale?: number): void;
    fit(): void;
    frameOf(left: number, top: number, right: number, bottom: number): void;
    toMap(x: number, y: number): Place;
    toScreen(x: number, y: number): Place;
    readonly middle: Place;
  }
}

declare module '$map/hands.js' {
  import type { View } from '$map/view.js';
  type Place = { x: number; y: number };
  type Grabbed = { moved: (place: Place) => void; done: () => void };
  type Hands = {
    tapped: (place: Place, reach: number) => void;
    over: (place: Place) => void;
    grab?: (place: Place, event: PointerEvent) => Grabbed | undefined;
  };
  export function handle(view: View, hands: Hands): void;
}

declare module '$map/search.js' {
  import type { Network } from '$map/network.js';
  type Search = {
    network: () => Network | undefined;
    chosen: (station: MapStation) => void;
    said: (text: string) => void;
    words: { formerly: (names: string) => string; count: (count: number) => string };
    input: HTMLInputElement;
    list: HTMLElement;
  };
  export function search(search: Search): void;
}
