/**
 * Plates of findings: where each stands beside its boat, and which are gathered into one that is counted. From places
 * on screen to places on screen; what is drawn of it is for `livelayers.ts`.
 *
 * No plate covers another. One that has to move away from its boat, or whose boat has others close by, gets a leader to
 * it. More than a few at one spot become one plate with their number, and so do those for which there is no room. What
 * was decided before is kept while it fits, so that nothing jumps from fix to fix.
 */

/** A plate as it is wanted: its boat, in px of the whole world at the zoom of now, and what it says. */
export interface PlateWish {
  id: string;
  x: number;
  y: number;
  text: string;
  isBreach: boolean;
  /** Begin of the finding, ms since 1970. */
  since: number;
  /** Chosen boats are not gathered. */
  isChosen?: boolean;
}

export interface Plate {
  /** The boat it stands at: its own, or the first of those gathered. */
  id: string;
  /** Boats whose findings it stands for, those of breaches first, then the newest. */
  ids: string[];
  text: string;
  isBreach: boolean;
  place: PlatePlace;
  /** Whether a line leads from it to its boat. */
  isLed: boolean;
  /** Edges, px from the boat. */
  left: number;
  top: number;
  width: number;
}

/** Where a plate stands: the middle of this edge or side of it, px from the boat. */
export interface PlatePlace {
  anchor: 'top' | 'bottom' | 'left' | 'right';
  dx: number;
  dy: number;
}

/** How large plates are, and how far from their boats. */
export interface PlateForm {
  height_px: number;
  /** What a plate is wider than its text. */
  frame_px: number;
  /** Of the distances of `PLACES`. */
  scale: number;
  /** Which of `PLACES`, in the order they are tried. */
  order: readonly number[];
}

const above = (dx: number, dy: number): PlatePlace => ({ anchor: 'bottom', dx, dy });
const below = (dx: number, dy: number): PlatePlace => ({ anchor: 'top', dx, dy });
const rightOf = (dx: number, dy: number): PlatePlace => ({ anchor: 'left', dx, dy });
const leftOf = (dx: number, dy: number): PlatePlace => ({ anchor: 'right', dx, dy });
/** In the order they are tried. The first four touch the halo of the boat, the others stand off. */
export const PLACES: readonly PlatePlace[] = [
  above(0, -27),
  below(0, 27),
  rightOf(30, 0),
  leftOf(-30, 0),
  above(0, -60),
  below(0, 60),
  rightOf(40, -36),
  leftOf(-40, -36),
  rightOf(40, 36),
  leftOf(-40, 36),
  above(0, -93),
  below(0, 93),
  rightOf(46, -69),
  leftOf(-46, -69),
  rightOf(46, 69),
  leftOf(-46, 69),
];
const FIRST_OFF = 4;
/** From this one on they are so far off that covering a halo is the lesser evil. */
const FIRST_FAR = 10;

export const PLATE: PlateForm = { height_px: 28, frame_px: 20, scale: 1, order: PLACES.map((_, place) => place) };
/** A name without a frame, beside a boat without a halo; above or below, so that it does not lie on the track. */
export const LABEL: PlateForm = {
  height_px: 18,
  frame_px: 4,
  scale: 0.75,
  order: [0, 1, 6, 7, 8, 9, 4, 5, 12, 13, 14, 15, 10, 11],
};

/** More than so many at one spot are counted. */
const MOST = 3;
/** With so many on the lake, two are more than a few, and a spot is wider. */
const CROWD = 200;
const CROWD_PX = 72;
/** Boats this near to the first of a spot are at it; once there they stay until they are this far. */
const JOIN_PX = 24;
const PART_PX = 36;
/** Other boats with findings this near make a leader of use. */
const NEAR_PX = 46;
/** Room between plates; a place better than that of before needs more, so that none goes to and fro. */
const GAP_PX = 3;
const BETTER_PX = 8;
/** Half the room of a boat with a finding, and of its hull alone, which a plate that stays keeps clear of. */
const HALO_PX = 21;
const HULL_PX = 10;
const CELL_PX = 64;

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What is in view, and what of it lies under controls, px of the whole world. */
export interface PlateView extends Box {
  covered: readonly Box[];
}

/** Boxes by cells, to be asked for those near a place. */
class Grid<T extends Box> {
  private readonly cells = new Map<number, T[]>();

  add(one: T): void {
    for (const key of keys(one)) {
      const cell = this.cells.get(key);
      if (cell) cell.push(one);
      else this.cells.set(key, [one]);
    }
  }

  some(box: Box, is: (one: T) => boolean): boolean {
    for (const key of keys(box)) {
      for (const one of this.cells.get(key) ?? []) {
        if (one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom && is(one))
          return true;
      }
    }
    return false;
  }
}

function* keys({ left, top, right, bottom }: Box): Generator<number> {
  for (let x = Math.floor(left / CELL_PX); x <= Math.floor(right / CELL_PX); x++)
    for (let y = Math.floor(top / CELL_PX); y <= Math.floor(bottom / CELL_PX); y++) yield x * 0x1000000 + y;
}

const around = (x: number, y: number, reach: number): Box => ({
  left: x - reach,
  top: y - reach,
  right: x + reach,
  bottom: y + reach,
});
const grown = (box: Box, by: number): Box => ({
  left: box.left - by,
  top: box.top - by,
  right: box.right + by,
  bottom: box.bottom + by,
});
const apart = (a: { x: number; y: number }, b: { x: number; y: number }): number => Math.hypot(a.x - b.x, a.y - b.y);
/** Breach before possible, newest first. */
const byRank = (a: PlateWish, b: PlateWish): number =>
  Number(b.isBreach) - Number(a.isBreach) || b.since - a.since || (a.id < b.id ? -1 : 1);
const byAge = (a: PlateWish, b: PlateWish): number => a.since - b.since || (a.id < b.id ? -1 : 1);

interface Spot {
  /** The boat that stands for the spot. */
  first: PlateWish;
  all: PlateWish[];
  isCounted: boolean;
  /** Gathered for want of room, not of number. */
  isForced: boolean;
}

/** A plate to be placed: one boat's, or a counted one. */
interface Item {
  spot: Spot;
  wish: PlateWish;
  ids: string[];
  text: string;
  isBreach: boolean;
  width: number;
}

/** What was decided the last time about a boat's plate. */
interface Kept {
  first: string;
  /** Gathered for want of room, it stays until it is so far from the first. */
  reach: number;
  isForced: boolean;
  place: number | null;
}

export interface PlateWords {
  /** What one says that stands for several. */
  counted(all: readonly PlateWish[]): string;
  /** Width of a text on a plate, px. */
  widthOf(text: string): number;
}

/** Places plates, and remembers where. */
export class PlateBoard {
  private kept = new Map<string, Kept>();
  private known = '';

  constructor(
    private readonly say: PlateWords,
    private readonly form: PlateForm = PLATE,
  ) {}

  /** Plates in their order: breach before possible, newest first. */
  place(wishes: readonly PlateWish[], zoom: number, view: PlateView | null = null): Plate[] {
    // Where a boat came or went, or the map was zoomed, there may be room again.
    const known = `${zoom} ${wishes.map((one) => one.id).sort()}`;
    if (known !== this.known) for (const one of this.kept.values()) one.isForced = false;
    this.known = known;
    let spots = this.gather(wishes);
    for (;;) {
      const { plates, left } = this.put(spots, wishes, view);
      if (!left.length) {
        this.keep(spots, plates);
        return plates;
      }
      spots = merged(spots, left);
    }
  }

  private gather(wishes: readonly PlateWish[]): Spot[] {
    const isCrowd = wishes.length > CROWD;
    const [most, join, part] = isCrowd ? [1, CROWD_PX, CROWD_PX * 1.2] : [MOST, JOIN_PX, PART_PX];
    const followers = new Map<string, PlateWish[]>();
    const grid = new Grid<Box & { wish: PlateWish }>();
    const spots: Spot[] = [];
    const free = new Set<PlateWish>();
    for (const wish of wishes) {
      if (wish.isChosen) {
        spots.push({ first: wish, all: [wish], isCounted: false, isForced: false });
        continue;
      }
      free.add(wish);
      grid.add({ ...around(wish.x, wish.y, 0), wish });
      const first = this.kept.get(wish.id)?.first;
      if (!first || first === wish.id) continue;
      const others = followers.get(first);
      if (others) others.push(wish);
      else followers.set(first, [wish]);
    }
    // Those that stood for a spot go on to, then the oldest: who comes new joins.
    const order = [...free].sort((a, b) => Number(followers.has(b.id)) - Number(followers.has(a.id)) || byAge(a, b));
    for (const first of order) {
      if (!free.delete(first)) continue;
      const all = [first];
      let isForced = false;
      const take = (wish: PlateWish): void => {
        if (free.delete(wish)) all.push(wish);
      };
      for (const wish of followers.get(first.id) ?? []) {
        const kept = this.kept.get(wish.id)!;
        if (!free.has(wish) || apart(first, wish) > (kept.isForced ? Math.max(part, kept.reach) : part)) continue;
        isForced ||= kept.isForced;
        take(wish);
      }
      grid.some(around(first.x, first.y, join), ({ wish }) => {
        if (apart(first, wish) <= join) take(wish);
        return false;
      });
      spots.push({ first, all, isCounted: all.length > most || (isForced && all.length > 1), isForced });
    }
    return spots;
  }

  /** Gives every plate a place; `left` are the spots for one of whose plates there is none. */
  private put(
    spots: readonly Spot[],
    wishes: readonly PlateWish[],
    view: PlateView | null,
  ): { plates: Plate[]; left: Spot[] } {
    const items = spots.flatMap((spot) => this.itemsOf(spot)).sort((a, b) => byRank(a.wish, b.wish));
    const halos = new Grid<Box & { wish: PlateWish }>();
    for (const wish of wishes) halos.add({ ...around(wish.x, wish.y, HALO_PX), wish });
    const taken = new Grid<Box>();
    const plates: Plate[] = [];
    const left = new Set<Spot>();
    for (const item of items) {
      if (left.has(item.spot)) continue;
      const { x, y } = item.spot.isCounted ? item.spot.first : item.wish;
      const own = item.spot.isCounted ? item.spot.all : [item.wish];
      const isOthers = ({ wish }: { wish: PlateWish }): boolean => !own.includes(wish);
      const isHull =
        (box: Box) =>
        ({ wish }: { wish: PlateWish }): boolean =>
          !own.includes(wish) && meets(box, around(wish.x, wish.y, HULL_PX));
      const boxAt = (place: number): Box => boxOf(PLACES[place]!, x, y, item.width, this.form);
      const hasRoom = (place: number, room: number): boolean => !taken.some(grown(boxAt(place), room), () => true);
      const isSeen = (box: Box): boolean => !view || !isIn(view, x, y) || isWholeIn(view, box);
      const isClear = (place: number, room: number): boolean => {
        const box = grown(boxAt(place), room);
        return isSeen(box) && !taken.some(box, () => true) && !halos.some(box, isOthers);
      };
      const before = this.kept.get(item.spot.isCounted ? item.spot.first.id : item.wish.id)?.place ?? null;
      const { order } = this.form;
      const until = before === null ? -1 : order.indexOf(before);
      /** Covers no plate and no hull; the halo of another boat it may. */
      const isFair = (place: number, room: number): boolean =>
        hasRoom(place, room) &&
        isSeen(grown(boxAt(place), room - GAP_PX - 1)) &&
        !halos.some(boxAt(place), isHull(boxAt(place)));
      const room = (place: number): number => (order.indexOf(place) < until ? BETTER_PX : GAP_PX);
      const isGood = (place: number): boolean =>
        place === before ? isFair(place, GAP_PX) : isClear(place, room(place));
      const near = order.filter((place) => place < FIRST_FAR);
      const found =
        near.find(isGood) ??
        order.find((place) => place < FIRST_OFF && isFair(place, room(place))) ??
        order.find(isGood) ??
        order.find((place) => hasRoom(place, GAP_PX));
      if (found === undefined) {
        left.add(item.spot);
        continue;
      }
      const box = boxAt(found);
      taken.add(box);
      plates.push({
        id: item.spot.isCounted ? item.spot.first.id : item.wish.id,
        ids: item.ids,
        text: item.text,
        isBreach: item.isBreach,
        place: PLACES[found]!,
        isLed: found >= FIRST_OFF || (!item.spot.isCounted && halos.some(around(x, y, NEAR_PX - HALO_PX), isOthers)),
        left: box.left - x,
        top: box.top - y,
        width: item.width,
      });
    }
    return { plates, left: [...left] };
  }

  private itemsOf(spot: Spot): Item[] {
    const { widthOf, counted } = this.say;
    // In steps, so that a number that changes by a digit moves nothing.
    const widthFor = (text: string): number => Math.ceil((this.form.frame_px + widthOf(text)) / 12) * 12;
    if (!spot.isCounted) {
      return spot.all.map((wish) => ({
        spot,
        wish,
        ids: [wish.id],
        text: wish.text,
        isBreach: wish.isBreach,
        width: widthFor(wish.text),
      }));
    }
    const all = [...spot.all].sort(byRank);
    const text = counted(all);
    const wish = all[0]!;
    return [{ spot, wish, ids: all.map((one) => one.id), text, isBreach: wish.isBreach, width: widthFor(text) }];
  }

  private keep(spots: readonly Spot[], plates: readonly Plate[]): void {
    const places = new Map(plates.map((one) => [one.id, PLACES.indexOf(one.place)]));
    const next = new Map<string, Kept>();
    for (const { first, all, isForced } of spots) {
      for (const wish of all) {
        const reach = isForced ? Math.max(PART_PX, 1.4 * apart(first, wish)) : PART_PX;
        const before = this.kept.get(wish.id);
        next.set(wish.id, {
          first: first.id,
          // It does not grow with a boat that goes away.
          reach: before?.first === first.id && before.isForced === isForced ? before.reach : reach,
          isForced,
          place: places.get(wish.id) ?? null,
        });
      }
    }
    this.kept = next;
  }
}

/** Spots without room for all their plates, each joined with the nearest other. */
function merged(spots: readonly Spot[], left: readonly Spot[]): Spot[] {
  const list = [...spots];
  for (const spot of left) {
    const at = list.indexOf(spot);
    // Joined by another one already.
    if (at < 0) continue;
    list.splice(at, 1);
    if (!spot.isCounted && spot.all.length > 1) {
      list.push({ ...spot, isCounted: true, isForced: true });
      continue;
    }
    const near = list.reduce((best, one) =>
      apart(one.first, spot.first) < apart(best.first, spot.first) ? one : best,
    );
    list.splice(list.indexOf(near), 1);
    const all = [...near.all, ...spot.all];
    list.push({ first: [...all].sort(byAge)[0]!, all, isCounted: true, isForced: true });
  }
  return list;
}

const isIn = (box: Box, x: number, y: number): boolean =>
  box.left < x && x < box.right && box.top < y && y < box.bottom;
const isWholeIn = (view: PlateView, box: Box): boolean =>
  view.left <= box.left &&
  box.right <= view.right &&
  view.top <= box.top &&
  box.bottom <= view.bottom &&
  !view.covered.some((one) => meets(one, box));

const meets = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function boxOf(place: PlatePlace, x: number, y: number, width: number, { height_px, scale }: PlateForm): Box {
  const { anchor, dx, dy } = { ...place, dx: place.dx * scale, dy: place.dy * scale };
  const left = x + dx - (anchor === 'left' ? 0 : anchor === 'right' ? width : width / 2);
  const top = y + dy - (anchor === 'top' ? 0 : anchor === 'bottom' ? height_px : height_px / 2);
  return { left, top, right: left + width, bottom: top + height_px };
}
