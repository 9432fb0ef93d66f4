//! `buoyline rejudge`: judges a past period again with what came too late.

use super::args::Rejudge;
use super::{Ending, tell};
use crate::serve::{Amended, rejudge};
use crate::time::EventTime;

pub(super) fn run(args: &Rejudge) -> Ending {
    if args.from > args.to {
        return Ending::Unusable(format!("--from {} is later than --to {}", args.from, args.to));
    }
    let now = EventTime::from_chrono(chrono::Utc::now()).unwrap_or(EventTime::MAX);
    match rejudge(&args.store, args.from, args.to, now) {
        Ok(Amended { late, changed, withdrawn, added }) => {
            tell(format_args!(
                "{late} fixes had come too late; findings: {changed} changed, {withdrawn} withdrawn, {added} added"
            ));
            Ending::Done
        }
        Err(error) => {
            tell(format_args!("error: {error}"));
            Ending::Faulty
        }
    }
}
