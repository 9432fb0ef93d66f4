//! Runs one target: its samples and saved corpus as they are, then mutations of what has given something new.

use std::any::Any;
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::rng::Rng;
use crate::{MEMORY, mutate, seeds};

/// What came of an input, a line for each thing; or the law that it broke.
pub type Outcome = Result<Vec<String>, String>;

/// One thing to feed.
pub struct Target {
    pub name: &'static str,
    folders: &'static [&'static str],
    seeds: fn(&Path) -> Vec<Vec<u8>>,
    check: fn(&[u8]) -> Outcome,
    mend: Option<fn(&mut Vec<u8>)>,
}

impl Target {
    pub const fn new(name: &'static str, folders: &'static [&'static str], check: fn(&[u8]) -> Outcome) -> Self {
        Self { name, folders, seeds: seeds::contents, check, mend: None }
    }

    /// Samples become inputs like this.
    pub const fn of(mut self, seeds: fn(&Path) -> Vec<Vec<u8>>) -> Self {
        self.seeds = seeds;
        self
    }

    /// Half of the mutated inputs get what they need to be looked at further, such as right checksums.
    pub const fn mended(mut self, mend: fn(&mut Vec<u8>)) -> Self {
        self.mend = Some(mend);
        self
    }
}

/// When to stop.
pub struct Budget {
    pub time: Duration,
    pub executions: u64,
}

pub const HEADINGS: &str = "target                      corpus    kept  executions  a second  slowest    memory  finds";

/// No input takes longer, on a slow machine without optimisation.
const SLOWEST: Duration = Duration::from_secs(5);
/// No input takes more memory than this, and so many times its length.
const MEMORY_BYTES: usize = 24 << 20;
const MEMORY_TIMES: usize = 400;
/// Inputs that are kept, and the longest of them.
const KEPT_MAX: usize = 3000;
const BYTES_MAX: usize = 16 << 10;
/// After so many different finds a target is left alone.
const FINDS_MAX: usize = 5;

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(folder)
}

/// Where the panic was that was caught last.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Why an input is a find; `None` where all laws hold. `said` gets what came of it.
fn broken(target: &Target, bytes: &[u8], said: &mut Vec<String>, seen: &mut Worst) -> Option<String> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.check)(bytes)));
    let took = start.elapsed();
    let grown = MEMORY.peak_usage().saturating_sub(before);
    seen.slowest = seen.slowest.max(took);
    seen.memory = seen.memory.max(grown);
    match outcome {
        Err(panic) => Some(format!("panic {}", message(&*panic))),
        Ok(Err(law)) => Some(law),
        Ok(Ok(_)) if took > SLOWEST => Some(format!("slow: it took {took:?}")),
        Ok(Ok(_)) if grown > MEMORY_BYTES + MEMORY_TIMES * bytes.len() => {
            Some(format!("memory: {grown} bytes for an input of {}", bytes.len()))
        }
        Ok(Ok(lines)) => {
            *said = lines;
            None
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let place = PANIC.lock().map(|place| place.clone()).unwrap_or_default();
    format!("{place}: {}", text.unwrap_or(""))
}

#[derive(Default)]
struct Worst {
    slowest: Duration,
    memory: usize,
}

/// A text without what changes from input to input: digits, and what is quoted.
fn squeezed(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '0'..='9' => {}
            '"' | '`' => {
                while let Some(inside) = chars.next() {
                    match inside {
                        _ if inside == c => break,
                        '\\' => drop(chars.next()),
                        _ => {}
                    }
                }
            }
            _ => out.push(c),
        }
        if out.len() > 80 {
            break;
        }
    }
    out
}

/// What an outcome shows of the code that ran: each kind of line, and about how often it came.
fn features(said: &[String]) -> Vec<u64> {
    let mut kinds: Vec<String> = said.iter().map(|line| squeezed(line)).collect();
    kinds.sort();
    let hash = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        hasher.finish()
    };
    kinds.chunk_by(|a, b| a == b).map(|same| hash(&|h| (&same[0], same.len().ilog2()).hash(h))).collect()
}

/// Feeds a target until its budget is spent, prints its figures, and says how many finds there were.
pub fn run(target: &Target, budget: &Budget) -> usize {
    watch();
    std::panic::set_hook(Box::new(|info| {
        if let (Ok(mut place), Some(at)) = (PANIC.lock(), info.location()) {
            *place = at.to_string();
        }
    }));
    let mut fed = Fed::new(target);
    let samples = target.folders.iter().flat_map(|folder| seeds::files(folder));
    let mut inputs: Vec<Vec<u8>> = samples.flat_map(|path| (target.seeds)(&path)).collect();
    inputs.extend(seeds::files(&format!("fuzz/corpus/{}", target.name)).filter_map(|path| fs::read(path).ok()));
    let corpus = inputs.len();
    assert!(corpus > 0, "{} has no samples", target.name);
    for input in inputs {
        // What stands in the corpus is kept whatever it gives: it was hard to come by.
        if !fed.take(&input) && fed.kept.len() < KEPT_MAX && input.len() <= BYTES_MAX {
            fed.kept.push(input);
        }
    }
    let start = Instant::now();
    let (mut rng, mut executions) = (Rng::new(name_seed(target.name)), 0);
    while executions < budget.executions && start.elapsed() < budget.time && fed.finds.len() < FINDS_MAX {
        let Some(base) = fed.pick(&mut rng) else { break };
        let other = fed.pick(&mut rng).unwrap_or_default();
        let mut input = mutate::mutated(base, &other, &mut rng);
        input.truncate(BYTES_MAX);
        if let Some(mend) = target.mend.filter(|_| rng.chance(0.5)) {
            mend(&mut input);
        }
        fed.take(&input);
        executions += 1;
    }
    let took = start.elapsed().as_secs_f64();
    println!(
        "{:<26}{corpus:>8}{:>8}{executions:>12}{:>10.0}{:>6.0} ms{:>6.1} MiB{:>7}",
        target.name,
        fed.kept.len(),
        executions as f64 / took.max(1e-9),
        fed.worst.slowest.as_secs_f64() * 1e3,
        fed.worst.memory as f64 / f64::from(1 << 20),
        fed.finds.len(),
    );
    let _ = std::panic::take_hook();
    fed.finds.len()
}

/// Feeds one input and says what came of it; whether all laws hold.
pub fn replay(target: &Target, name: &str, bytes: &[u8]) -> bool {
    let (mut said, mut worst) = (Vec::new(), Worst::default());
    let broken = broken(target, bytes, &mut said, &mut worst);
    println!("{} {name}: {:?}, {} bytes of memory", target.name, worst.slowest, worst.memory);
    said.iter().for_each(|line| println!("  {line}"));
    if let Some(law) = &broken {
        println!("  FOUND {law}");
    }
    broken.is_none()
}

/// The seed of a target: other targets do not change its mutations.
fn name_seed(name: &str) -> u64 {
    let turn: u64 = std::env::var("FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    name.bytes().fold(turn, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()))
}

/// A target and what has come of it so far.
struct Fed<'t> {
    target: &'t Target,
    features: BTreeSet<u64>,
    kept: Vec<Vec<u8>>,
    finds: BTreeSet<String>,
    worst: Worst,
}

impl<'t> Fed<'t> {
    fn new(target: &'t Target) -> Self {
        let (features, kept, finds) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
        Self { target, features, kept, finds, worst: Worst::default() }
    }

    /// The newest are taken most often.
    fn pick(&self, rng: &mut Rng) -> Option<Vec<u8>> {
        let n = self.kept.len();
        let at = if rng.chance(0.3) { n.saturating_sub(1 + rng.below(n.clamp(1, 16))) } else { rng.below(n.max(1)) };
        self.kept.get(at).cloned()
    }

    /// Feeds one input; whether it was kept.
    fn take(&mut self, bytes: &[u8]) -> bool {
        Running::set(Some((self.target.name, bytes)));
        let mut said = Vec::new();
        let broken = broken(self.target, bytes, &mut said, &mut self.worst);
        Running::set(None);
        if let Some(law) = broken {
            if self.finds.insert(kind(&law)) {
                self.report(&law, bytes);
            }
            return false;
        }
        let before = self.features.len();
        self.features.extend(features(&said));
        let is_new = self.features.len() > before;
        let is_kept = is_new && self.kept.len() < KEPT_MAX && bytes.len() <= BYTES_MAX;
        if is_kept {
            self.kept.push(bytes.to_vec());
        }
        is_kept
    }

    /// Writes a find, made as small as it quickly gets, and says how to see it again.
    fn report(&mut self, law: &str, bytes: &[u8]) {
        let small = self.smaller(&kind(law), bytes);
        let path = write_find(self.target.name, &small);
        println!("{}: FOUND {law}", self.target.name);
        println!("  cargo test --test fuzz -- {} {}", self.target.name, path.display());
    }

    /// The input without all that it does not need to break the same law.
    fn smaller(&mut self, kind_of_law: &str, bytes: &[u8]) -> Vec<u8> {
        let mut small = bytes.to_vec();
        let until = Instant::now() + Duration::from_secs(10);
        let mut length = small.len() / 2;
        while length > 0 {
            let mut at = 0;
            while at < small.len() && Instant::now() < until {
                let mut less = small.clone();
                less.drain(at..(at + length).min(small.len()));
                let law = broken(self.target, &less, &mut Vec::new(), &mut self.worst);
                if law.is_some_and(|law| kind(&law) == kind_of_law) {
                    small = less;
                } else {
                    at += length;
                }
            }
            length /= 2;
        }
        small
    }
}

/// Which law it is, whatever the values.
fn kind(law: &str) -> String {
    squeezed(law).chars().take(48).collect()
}

fn write_find(target: &str, bytes: &[u8]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let folder = here("finds");
    fs::create_dir_all(&folder).expect("a folder for finds");
    let path = folder.join(format!("{target}-{:08x}", hasher.finish() as u32));
    fs::write(&path, bytes).expect("a find is written");
    path
}

/// The input that is being read, for the case that this does not end.
struct Running {
    target: &'static str,
    bytes: Vec<u8>,
    since: Instant,
}

static RUNNING: Mutex<Option<Running>> = Mutex::new(None);

impl Running {
    /// Notes what is being read. Where `FUZZ_TRACE` is set it is also written to `finds/running`, so that it is there
    /// when the whole process dies, as of a stack that is full.
    fn set(now: Option<(&'static str, &[u8])>) {
        if let (Some((_, bytes)), true) = (now, std::env::var_os("FUZZ_TRACE").is_some()) {
            fs::create_dir_all(here("finds")).expect("a folder for finds");
            fs::write(here("finds/running"), bytes).expect("the input is written");
        }
        let running = now.map(|(target, bytes)| Self { target, bytes: bytes.to_vec(), since: Instant::now() });
        if let Ok(mut slot) = RUNNING.lock() {
            *slot = running;
        }
    }
}

/// Ends the process where an input is read without end.
fn watch() {
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);
    if IS_WATCHED.swap(true, Ordering::Relaxed) {
        return;
    }
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let Ok(running) = RUNNING.lock() else { continue };
            if let Some(running) = running.as_ref().filter(|running| running.since.elapsed() > 4 * SLOWEST) {
                let path = write_find(running.target, &running.bytes);
                println!("{}: FOUND an input that is read without end: {}", running.target, path.display());
                std::process::exit(1);
            }
        }
    });
}
