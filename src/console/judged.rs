//! For how long the boats of a waterway were judged of late, why not for the rest, and whether sources are heard: quiet
//! is not the same as clean.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::live::boats_on;
use super::problem::Path;
use super::{Console, Problem, Viewer};
use crate::serve::{Share, SourcePulse};
use crate::time::EventTime;

/// How far back it goes, seconds.
const BACK_S: f64 = 3_600.0;
/// A source is silent when nothing came for so long, seconds, or for so many times of what is usual.
const SILENT: (f64, f64) = (60.0, 5.0);

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(judged)).routes(routes!(sources))
}

/// For how long something was judged.
#[derive(Debug, Default, Serialize, ToSchema)]
struct ShownShare {
    /// Seconds.
    judged_s: f64,
    not_judged_s: NotJudgedFor,
    /// Fixes that were not judged, by reason.
    refused: BTreeMap<&'static str, u64>,
}

/// For how long it was not, and why.
#[derive(Debug, Default, Serialize, ToSchema)]
struct NotJudgedFor {
    /// Fixes were too far apart, seconds.
    gap: f64,
    /// Jumps that no speed explains, seconds.
    jump: f64,
    /// Outside of every waterway, seconds.
    off_water: f64,
    /// Nothing has been heard since, for longer than may lie between two fixes, seconds.
    silent: f64,
}

impl ShownShare {
    fn of(share: &Share, silent_s: f64) -> Self {
        Self {
            judged_s: tenths(share.judged_s),
            not_judged_s: NotJudgedFor {
                gap: tenths(share.gap_s),
                jump: tenths(share.jump_s),
                off_water: tenths(share.off_water_s),
                silent: tenths(silent_s),
            },
            refused: share.refused.iter().map(|(reason, count)| (reason.as_str(), *count)).collect(),
        }
    }
}

/// A boat and for how long it was judged.
#[derive(Debug, Serialize, ToSchema)]
struct OfBoat {
    id: String,
    name: Option<String>,
    #[serde(flatten)]
    share: ShownShare,
}

/// The boats of a waterway, and all of them together.
#[derive(Debug, Serialize, ToSchema)]
struct OfWaterway {
    #[schema(value_type = String)]
    at: EventTime,
    /// Since when: an hour ago, or when the daemon started.
    #[schema(value_type = String)]
    from: EventTime,
    #[serde(flatten)]
    share: ShownShare,
    /// Those heard within the last hour, the least judged first.
    boats: Vec<OfBoat>,
}

/// For how long the boats of a waterway were judged within the last hour, and why not for the rest.
#[utoipa::path(get, path = "/waterways/{waterway}/judged", tag = "live", params(("waterway" = String, Path)),
    responses((status = 200, body = OfWaterway), (status = 404, body = Problem)))]
async fn judged(
    State(console): State<Console>,
    _: Viewer,
    Path(id): Path<String>,
) -> Result<Json<OfWaterway>, Problem> {
    let law = console.law();
    console.waterway(&law, &id)?;
    let (now, board) = (console.desk().now(), console.desk().board());
    let from = now.plus_seconds(-BACK_S);
    let (mut boats, mut all, mut all_silent_s) = (Vec::new(), Share::default(), 0.0);
    for (vessel, state) in boats_on(board, &law, &id) {
        let share = board.judged_since(&vessel, from);
        let age_s = now.seconds_since(state.fix.t);
        let silent_s = if age_s > law.rulebook.motion.max_gap_s { age_s.min(BACK_S) } else { 0.0 };
        all.add(&share);
        all_silent_s += silent_s;
        let name = state.regard.as_ref().and_then(|regard| regard.profile.as_ref()?.name.clone());
        boats.push(OfBoat { id: vessel.to_string(), name, share: ShownShare::of(&share, silent_s) });
    }
    boats.sort_by(|a, b| a.share.judged_s.total_cmp(&b.share.judged_s).then_with(|| a.id.cmp(&b.id)));
    let from = from.max(console.inner.started);
    Ok(Json(OfWaterway { at: now, from, share: ShownShare::of(&all, all_silent_s), boats }))
}

/// Whether a source is heard.
#[derive(Debug, Serialize, ToSchema)]
struct HeardSource {
    name: String,
    /// `heard`, `silent`, or `never` since the daemon started.
    state: &'static str,
    last_message_age_s: Option<f64>,
    /// The usual time between its messages, seconds; null before the second one.
    usual_interval_s: Option<f64>,
}

/// Whether the sources are heard, without what they say.
#[utoipa::path(get, path = "/sources", tag = "live", responses((status = 200, body = [HeardSource])))]
async fn sources(State(console): State<Console>, _: Viewer) -> Json<Vec<HeardSource>> {
    let (now, pulse) = (console.desk().now(), console.desk().pulse());
    let heard = |source: SourcePulse| {
        let age_s = source.last_message_at.map(|t| now.seconds_since(t).max(0.0));
        let silent_s = SILENT.0.max(SILENT.1 * source.usual_interval_s.unwrap_or(0.0));
        HeardSource {
            state: age_s.map_or("never", |age_s| if age_s > silent_s { "silent" } else { "heard" }),
            name: source.name,
            last_message_age_s: age_s.map(tenths),
            usual_interval_s: source.usual_interval_s.map(|s| (s * 1e3).round() / 1e3),
        }
    };
    Json(pulse.sources.into_iter().map(heard).collect())
}

fn tenths(s: f64) -> f64 {
    (s * 10.0).round() / 10.0
}
