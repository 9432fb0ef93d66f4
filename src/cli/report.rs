//! `buoyline report`: the evidence report of findings out of a store.

use std::fs;

use super::args::{Report, ReportFormat};
use super::{Ending, print, tell};
use crate::report::{Printed, Reported, document, pdf};
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
    let ending = args.output.as_ref().and_then(|path| path.extension());
    let is_pdf = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"));
    let report = match args.format.unwrap_or(if is_pdf { ReportFormat::Pdf } else { ReportFormat::Html }) {
        ReportFormat::Html => document(&reports, &printed).into_bytes(),
        ReportFormat::Pdf => match pdf(&reports, &printed) {
            Ok(pdf) => pdf,
            Err(error) => {
                tell(format_args!("error: {error}"));
                return Ending::Faulty;
            }
        },
    };
    match &args.output {
        None => print(|out| out.write_all(&report)),
        Some(path) => match fs::write(path, report) {
            Ok(()) => Ending::Done,
            Err(error) => {
                tell(format_args!("error: {}: cannot be written: {error}", path.display()));
                Ending::Faulty
            }
        },
    }
}
