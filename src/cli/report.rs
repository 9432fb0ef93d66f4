//! `buoyline report`: the evidence report of findings out of a store.

use std::fs;

use super::args::Report;
use super::{Ending, print, tell};
use crate::report::{Printed, Reported, document};
use crate::store::Sqlite;
use crate::time::EventTime;

pub(super) fn run(args: &Report) -> Ending {
    let store = match Sqlite::open_to_read(&args.store) {
        Ok(store) => store,
        Err(error) => {
            tell(format_args!("error: {error}"));
            return Ending::Faulty;
        }
    };
    let mut reports = Vec::new();
    for id in &args.ids {
        match Reported::of(&store, id) {
            Ok(Some(report)) => reports.push(report),
            Ok(None) => {
                tell(format_args!(
                    "error: {}: there is no finding {id:?}; `buoyline export findings` lists them",
                    args.store.display()
                ));
                return Ending::Faulty;
            }
            Err(error) => {
                tell(format_args!("error: finding {id}: {error}"));
                return Ending::Faulty;
            }
        }
    }
    let printed = Printed {
        by: args.by.clone(),
        at: EventTime::from_chrono(chrono::Utc::now()),
        agency: args.agency.clone(),
        link: args.link.clone(),
        paper: args.paper,
    };
    let html = document(&reports, &printed);
    match &args.output {
        None => print(|out| out.write_all(html.as_bytes())),
        Some(path) => match fs::write(path, html) {
            Ok(()) => Ending::Done,
            Err(error) => {
                tell(format_args!("error: {}: cannot be written: {error}", path.display()));
                Ending::Faulty
            }
        },
    }
}
