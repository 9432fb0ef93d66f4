/** What is drawn under and over the lines of a chart. */
import type uPlot from 'uplot';
import type { Finding, ReviewVessel } from '../api/types';
import { colour, palette, type Token } from '../map/palette';
import { msOf, span } from '../time';
import { words } from '../words/en';
import type { Shape } from './shapes';
import { reviewFindings } from './state';
import type { Track } from './track';

type Gap = ReviewVessel['gaps'][number];

/** Hatches over gaps with their length, shading of findings and of the forbidden side, names of limit and mark. */
export function decorate(track: Track, shape: Shape): uPlot.Plugin {
  const shades = palette.value;
  const c = (token: Token): string => colour(token, shades);
  const xOf = (u: uPlot, ms: number): number => u.valToPos(ms / 1000, 'x', true);
  /** Draws within the lines of the chart, and leaves the pen as it was. */
  const inside = (u: uPlot, draw: (at: CanvasRenderingContext2D, box: uPlot.BBox) => void): void => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    draw(ctx, bbox);
    ctx.restore();
  };

  const forbidden = (u: uPlot, at: CanvasRenderingContext2D, box: uPlot.BBox): void => {
    if (shape.floor === null) return;
    const y = u.valToPos(shape.floor, 'y', true);
    at.fillStyle = c('strip');
    at.fillRect(box.left, y, box.width, box.top + box.height - y);
    at.fillStyle = c('limit');
    at.fillRect(box.left, y - 1, box.width, 2);
  };

  const shaded = (u: uPlot, at: CanvasRenderingContext2D, box: uPlot.BBox, finding: Finding): void => {
    const a = xOf(u, msOf(finding.start));
    const width = Math.max(2, xOf(u, msOf(finding.end ?? finding.peak.t)) - a);
    at.globalAlpha = 0.55;
    at.fillStyle = c(finding.verdict === 'breach' ? 'breach_bg' : 'possible_bg');
    at.fillRect(a, box.top, width, box.height);
    at.globalAlpha = 1;
    if (finding.verdict === 'breach') return;
    at.setLineDash([5, 4]);
    at.strokeStyle = c('possible');
    at.strokeRect(a, box.top, width, box.height);
    at.setLineDash([]);
  };

  const hatched = (u: uPlot, at: CanvasRenderingContext2D, box: uPlot.BBox, gap: Gap): void => {
    const ratio = devicePixelRatio;
    const a = Math.max(box.left, xOf(u, track.from_ms + gap.from_ms));
    const b = Math.min(box.left + box.width, xOf(u, track.from_ms + gap.to_ms));
    if (b <= a) return;
    at.save();
    at.beginPath();
    at.rect(a, box.top, b - a, box.height);
    at.clip();
    at.strokeStyle = c('border');
    at.globalAlpha = 0.45;
    at.lineWidth = ratio;
    for (let x = a - box.height; x < b; x += 8 * ratio) {
      at.beginPath();
      at.moveTo(x, box.top + box.height);
      at.lineTo(x + box.height, box.top);
      at.stroke();
    }
    at.restore();
    const text = words.review.gap(span((gap.to_ms - gap.from_ms) / 1000));
    const width = at.measureText(text).width;
    if (width > b - a) return;
    at.fillStyle = c('surface');
    at.fillRect((a + b - width) / 2 - 4, box.top + box.height / 2 - 10 * ratio, width + 8, 18 * ratio);
    at.fillStyle = c('text');
    at.fillText(text, (a + b - width) / 2, box.top + box.height / 2 + 3 * ratio);
  };

  /** The limit by name, at the right end of its line. */
  const limitName = (u: uPlot, at: CanvasRenderingContext2D, box: uPlot.BBox): void => {
    const ratio = devicePixelRatio;
    const unit = shape.unit.split(' ')[0]!;
    const last = shape.floor ?? (u.data[1] as (number | null)[]).findLast((value) => value !== null) ?? null;
    if (last === null) return;
    const value = `${Math.round(last * 10) / 10} ${unit}`;
    const isAbove = last > shape.top;
    const name = shape.floor !== null ? value : `${words.review.limitInForce} ${value}${isAbove ? ' ↑' : ''}`;
    const y = isAbove ? box.top + 11 * ratio : u.valToPos(last, 'y', true) - 5 * ratio;
    at.fillStyle = c('limit');
    at.fillText(name, box.left + box.width - at.measureText(name).width - 4, y);
  };

  /** A diamond on the line, its name beside it where there is room. */
  const marked = (u: uPlot, at: CanvasRenderingContext2D, box: uPlot.BBox): void => {
    if (!shape.mark) return;
    const ratio = devicePixelRatio;
    const [x, y] = [xOf(u, shape.mark.t_ms), u.valToPos(Math.min(shape.mark.value, shape.top), 'y', true)];
    const r = 6 * ratio;
    at.beginPath();
    at.moveTo(x, y - r);
    at.lineTo(x + r, y);
    at.lineTo(x, y + r);
    at.lineTo(x - r, y);
    at.closePath();
    at.fillStyle = c('surface');
    at.fill();
    at.strokeStyle = c('hull');
    at.lineWidth = 2 * ratio;
    at.stroke();
    const width = at.measureText(shape.mark.text).width;
    const isLeft = x + r + 6 * ratio + width > box.left + box.width;
    at.fillStyle = c('text');
    at.fillText(shape.mark.text, isLeft ? x - r - 6 * ratio - width : x + r + 6 * ratio, y - r);
  };

  return {
    hooks: {
      drawClear: (u) =>
        inside(u, (at, box) => {
          forbidden(u, at, box);
          for (const finding of reviewFindings.value) if (finding.vessel === track.id) shaded(u, at, box, finding);
        }),
      draw: (u) =>
        inside(u, (at, box) => {
          at.font = `700 ${12 * devicePixelRatio}px Buoyline`;
          at.textAlign = 'left';
          at.textBaseline = 'alphabetic';
          for (const gap of track.vessel.gaps) hatched(u, at, box, gap);
          limitName(u, at, box);
          marked(u, at, box);
        }),
    },
  };
}
