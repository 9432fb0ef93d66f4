//! Buoyline's tests as one binary; each module says what it holds.

#![allow(clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

mod ais; // AIS messages are what pyais reads in them
mod arrival; // the order of arrival, duplicates and the cutting of files change nothing
mod chaos; // killed at any moment, the daemon loses nothing and finds the same
mod cli; // the program as people and other programs meet it
mod console; // the web console: who may do what, what is seen live, what becomes of findings
mod continuity; // cut anywhere and restored, or under a new map: nothing is lost
mod daemon; // what is published is stored once, judged as a replay judges it, and what is found goes out
mod decoders; // messages of every format become what the files beside them tell, damaged ones too
mod direction; // ski traffic beside a ragged shore, with noise
mod geometry; // continuous is dense sampling, an index is a linear scan, the same scene elsewhere is the same
mod glance; // a glance that shows that nothing breaks changes nothing
mod golden; // real tracks on real shores: counts and pinned findings
mod nmea; // logs of receivers and AIS stations are read with these counts
mod odds; // odds are calibrated against simulated noise
mod permits; // a permit lifts its rule whatever else the rulebook asks for
mod recordings; // recordings of any format, cut, mixed and converted, are judged alike
mod regard; // asking what is known of a vessel changes nothing
mod review; // review, report, map editing and OGC API Features over HTTP
mod robustness; // damaged tracks, maps and rulebooks: no panic, and nothing is lost uncounted
mod scenes; // drawn situations give exactly their expected findings
mod skiing; // skiers, their trackers, and the boats around them
mod texana; // the shipped scene with skiers
mod tidy; // the code keeps its own rules
mod wires; // MQTT over TLS and WebSockets
