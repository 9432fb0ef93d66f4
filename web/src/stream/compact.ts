/**
 * Boats in the compact form of the stream (`form=compact`, see `Columns` in `/api`): columns of differences to what the
 * same stream told before. A reader follows one stream from its beginning.
 */
import type { Boat, BoatLimit, BoatState } from '../api/types';

/** What an event says of boats, as the full form would say it. */
export interface Fleet {
  at: string;
  boats: Boat[];
  gone: string[];
}

type Rest = Pick<Boat, 'id' | 'name' | 'class' | 'length_m' | 'is_derived' | 'tow' | 'permits' | 'open' | 'not_judged'>;
type Nearest = NonNullable<Boat['nearest']>;

interface Columns {
  at: string;
  limits?: BoatLimit[];
  features?: Omit<Nearest, 'distance_m'>[];
  rest?: [n: number, rest: Rest][];
  n: number[];
  changes: Record<string, (number | null)[]>;
  gone?: number[];
}

interface Told {
  rest: Rest;
  numbers: Record<string, number | undefined>;
}

const STATES: BoatState[] = ['under_way', 'at_rest', 'at_dock', 'trolling'];

export class FleetReader {
  private readonly limits: BoatLimit[] = [];
  private readonly features: Omit<Nearest, 'distance_m'>[] = [];
  private readonly told = new Map<number, Told>();

  read(data: string): Fleet {
    const columns = JSON.parse(data) as Columns;
    this.limits.push(...(columns.limits ?? []));
    this.features.push(...(columns.features ?? []));
    for (const [n, rest] of columns.rest ?? []) {
      const told = this.told.get(n);
      if (told) told.rest = rest;
      else this.told.set(n, { rest, numbers: {} });
    }
    const changes = Object.entries(columns.changes);
    const boats: Boat[] = [];
    let n = 0;
    columns.n.forEach((step, i) => {
      n += step;
      const told = this.told.get(n);
      if (!told) throw new Error(`boat ${n} of the stream was not told before`);
      for (const [name, column] of changes) {
        const change = column[i];
        told.numbers[name] = change == null ? undefined : (told.numbers[name] ?? 0) + change;
      }
      boats.push(this.boat(told));
    });
    const gone: string[] = [];
    for (const n of columns.gone ?? []) {
      const told = this.told.get(n);
      if (told) gone.push(told.rest.id);
      this.told.delete(n);
    }
    return { at: columns.at, boats, gone };
  }

  private boat({ rest, numbers }: Told): Boat {
    const number = (name: string, steps: number): number | null => {
      const value = numbers[name];
      return value === undefined ? null : value / steps;
    };
    const limit = this.limits[numbers.limit ?? -1];
    const feature = this.features[numbers.nearest ?? -1];
    return {
      ...rest,
      t: new Date(numbers.t_ms ?? 0).toISOString(),
      lat: number('lat_e6', 1e6) ?? 0,
      lon: number('lon_e6', 1e6) ?? 0,
      sog_mps: number('sog_cmps', 100),
      cog_deg: number('cog_deg', 1),
      heading_deg: number('heading_deg', 1),
      accuracy_m: number('accuracy_dm', 10),
      interval_s: number('interval_ds', 10),
      state: STATES[numbers.state ?? 0] ?? 'under_way',
      limit: limit ? { ...limit, distance_m: number('limit_dm', 10) } : null,
      nearest: feature ? { ...feature, distance_m: number('nearest_dm', 10) ?? 0 } : null,
    };
  }
}
