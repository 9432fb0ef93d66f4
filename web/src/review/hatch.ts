/** What is drawn under and over the lines of a chart. */
import type uPlot from 'uplot';
import { colour, palette } from '../map/palette';
import { msOf, span } from '../time';
import { words } from '../words/en';
import type { Shape } from './shapes';
import { reviewFindings } from './state';
import type { Track } from './track';

/** Hatches over gaps with their length, shading of findings and of the forbidden side, the name of the limit. */
export function decorate(track: Track, shape: Shape): uPlot.Plugin {
  const shades = palette.value;
  return {
    hooks: {
      drawClear: (u) => {
        const { ctx, bbox } = u;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        if (shape.floor !== null) {
          const y = u.valToPos(shape.floor, 'y', true);
          ctx.fillStyle = colour('strip', shades);
          ctx.fillRect(bbox.left, y, bbox.width, bbox.top + bbox.height - y);
          ctx.fillStyle = colour('limit', shades);
          ctx.fillRect(bbox.left, y - 1, bbox.width, 2);
        }
        for (const finding of reviewFindings.value) {
          if (finding.vessel !== track.id) continue;
          const a = u.valToPos(msOf(finding.start) / 1000, 'x', true);
          const b = u.valToPos(msOf(finding.end ?? finding.peak.t) / 1000, 'x', true);
          ctx.globalAlpha = 0.55;
          ctx.fillStyle = colour(finding.verdict === 'breach' ? 'breach_bg' : 'possible_bg', shades);
          ctx.fillRect(a, bbox.top, Math.max(2, b - a), bbox.height);
          ctx.globalAlpha = 1;
          if (finding.verdict === 'possible') {
            ctx.setLineDash([5, 4]);
            ctx.strokeStyle = colour('possible', shades);
            ctx.strokeRect(a, bbox.top, Math.max(2, b - a), bbox.height);
            ctx.setLineDash([]);
          }
        }
        ctx.restore();
      },
      draw: (u) => {
        const { ctx, bbox } = u;
        const ratio = devicePixelRatio;
        ctx.save();
        ctx.font = `700 ${12 * ratio}px Buoyline`;
        ctx.textAlign = 'left';
        ctx.textBaseline = 'alphabetic';
        for (const gap of track.vessel.gaps) {
          const a = Math.max(bbox.left, u.valToPos((track.from_ms + gap.from_ms) / 1000, 'x', true));
          const b = Math.min(bbox.left + bbox.width, u.valToPos((track.from_ms + gap.to_ms) / 1000, 'x', true));
          if (b <= a) continue;
          ctx.save();
          ctx.beginPath();
          ctx.rect(a, bbox.top, b - a, bbox.height);
          ctx.clip();
          ctx.strokeStyle = colour('hair', shades);
          ctx.lineWidth = ratio;
          for (let x = a - bbox.height; x < b; x += 8 * ratio) {
            ctx.beginPath();
            ctx.moveTo(x, bbox.top + bbox.height);
            ctx.lineTo(x + bbox.height, bbox.top);
            ctx.stroke();
          }
          ctx.restore();
          const text = words.review.gap(span((gap.to_ms - gap.from_ms) / 1000));
          const width = ctx.measureText(text).width;
          if (width < b - a) {
            ctx.fillStyle = colour('surface', shades);
            ctx.fillRect((a + b - width) / 2 - 4, bbox.top + bbox.height / 2 - 10 * ratio, width + 8, 18 * ratio);
            ctx.fillStyle = colour('text', shades);
            ctx.fillText(text, (a + b - width) / 2, bbox.top + bbox.height / 2 + 3 * ratio);
          }
        }
        ctx.fillStyle = colour('limit', shades);
        const name =
          shape.floor === null ? words.review.limitInForce : `${Math.round(shape.floor)} ${shape.unit.split(' ')[0]}`;
        const lastLimit = (u.data[1] as (number | null)[]).findLast((value) => value !== null && value <= shape.top);
        const y =
          shape.floor !== null
            ? u.valToPos(shape.floor, 'y', true) - 5 * ratio
            : lastLimit === undefined || lastLimit === null
              ? bbox.top + 11 * ratio
              : u.valToPos(lastLimit, 'y', true) + 14 * ratio;
        ctx.fillText(name, bbox.left + bbox.width - ctx.measureText(name).width - 4, y);
        ctx.restore();
      },
    },
  };
}
