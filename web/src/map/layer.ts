/** Layers in few words: what differs between them, and nothing else. */
import type {
  ExpressionSpecification,
  FillLayerSpecification,
  FilterSpecification,
  LineLayerSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl';
import { colour, type Palette, type Token } from './palette';

export const MEDIUM = ['Buoyline Medium'];
export const BOLD = ['Buoyline Bold'];

/** Of which source, from and to which zoom, which features. */
export interface Where {
  source: string;
  from?: number;
  to?: number;
  filter?: FilterSpecification;
}

type Colour = string | ExpressionSpecification;
type Number_ = number | ExpressionSpecification;

const place = (id: string, { source, from, to, filter }: Where) => ({
  id,
  source,
  ...(from !== undefined && { minzoom: from }),
  ...(to !== undefined && { maxzoom: to }),
  ...(filter && { filter }),
});

export const area = (id: string, where: Where, fill: Colour, opacity = 1): FillLayerSpecification => ({
  ...place(id, where),
  type: 'fill',
  paint: { 'fill-color': fill, 'fill-opacity': opacity },
});

/** `dash` in widths of the line, whole numbers: the library cuts others down. */
export const line = (
  id: string,
  where: Where,
  stroke: Colour,
  width: Number_,
  dash?: number[],
): LineLayerSpecification => ({
  ...place(id, where),
  type: 'line',
  layout: { 'line-join': 'round' },
  paint: { 'line-color': stroke, 'line-width': width, ...(dash && { 'line-dasharray': dash }) },
});

export const sign = (
  id: string,
  where: Where,
  layout: SymbolLayerSpecification['layout'],
  paint: SymbolLayerSpecification['paint'] = {},
): SymbolLayerSpecification => ({ ...place(id, where), type: 'symbol', layout, paint });

/** An icon that always stands, whatever else is there. */
export const always = { 'icon-allow-overlap': true, 'icon-ignore-placement': true } as const;

/** Text in a weight and size. */
export const text = (
  field: string | ExpressionSpecification,
  size: number,
  font: string[] = BOLD,
): NonNullable<SymbolLayerSpecification['layout']> => ({
  'text-field': typeof field === 'string' ? ['get', field] : field,
  'text-font': font,
  'text-size': size,
});

/** Text in a colour that reads on any ground. */
export const halo = (
  token: Token,
  palette: Palette,
): { 'text-color': string; 'text-halo-color': string; 'text-halo-width': number } => ({
  'text-color': colour(token, palette),
  'text-halo-color': colour('surface', palette),
  'text-halo-width': 1.6,
});
