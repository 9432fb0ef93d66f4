//! Sheets of all kinds are written and read back with another library.

use lopdf::{Dictionary, Object};

use super::letters::Weight;
use super::*;
use crate::report::sheet::{Block, Drawn, Fact, Picture, Value};

fn sheet() -> Sheet {
    let text = |text: &str| vec![Value::Text(text.to_owned())];
    let svg = concat!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 178 72"><path d="M0 0L178 72" stroke="#000"/>"##,
        r##"<text x="20" y="20" class="l">Ost 码头</text></svg>"##
    );
    let drawn = |height_mm: f64, about: &str| {
        Drawn::Picture(Picture { svg: svg.to_owned(), about: about.to_owned(), width_mm: 178.0, height_mm })
    };
    Sheet {
        id: "4adc7d3ffab3a8e2a5f4c6bf8a2f7c10".to_owned(),
        head: ["Sheriff's office".to_owned(), "test-lake".to_owned()],
        printed: "printed 2026-07-04 21:00:00.0 PDT by an officer".to_owned(),
        is_breach: true,
        title: "Breach · odds 98 in 100".to_owned(),
        sentence: "12.3 mph within 100 ft of the dock; the limit is 5 mph".to_owned(),
        drawn: vec![
            drawn(72.0, "map of the place"),
            drawn(27.0, "Speed over ground"),
            Drawn::Nothing("The clause asks for no distance."),
        ],
        columns: [
            vec![
                Block::Facts(vec![
                    Fact { name: "Vessel", lines: text("boat-1") },
                    Fact { name: "Speed", lines: text("12.3 mph ± 0.4 mph; the limit is 5 mph") },
                ]),
                Block::Heading("How sure".to_owned()),
                Block::Formula(vec!["P(faster) = Φ((v − limit) / σ) = 0.980".to_owned()]),
                Block::History(vec!["2026-07-04 20:00:00 PDT: revision 1".to_owned()]),
                Block::Warning("Judged again it does not come out."),
            ],
            vec![
                Block::Heading("SMC 10.14.140".to_owned()),
                Block::Quote("No person shall".to_owned()),
                Block::Paragraph("reading applied: strict".to_owned()),
                Block::Sources(
                    vec![Fact { name: "Map", lines: vec![Value::Code("0123456789abcdef".repeat(4))] }],
                    Some(Picture {
                        svg: svg.to_owned(),
                        about: "https://lake.example/findings/4adc".to_owned(),
                        width_mm: 17.0,
                        height_mm: 17.0,
                    }),
                ),
            ],
        ],
    }
}

fn about() -> About {
    About {
        title: "Finding 4adc".to_owned(),
        author: "an officer".to_owned(),
        at: EventTime::from_unix_ms(1_783_224_000_000),
    }
}

fn written(sheets: &[Sheet], paper: Paper) -> Vec<u8> {
    write(sheets, paper, &about()).expect("a document")
}

/// The words on each page, with single spaces.
fn read(pdf: &[u8]) -> Vec<String> {
    let document = lopdf::Document::load_mem(pdf).expect("a document");
    let text = |number: &u32| {
        let text = document.extract_text(&[*number]).expect("text");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    document.get_pages().keys().map(text).collect()
}

fn words(count: usize) -> String {
    (0..count).map(|i| format!("word{i}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn everything_on_a_sheet_can_be_read_back_from_its_page() {
    let pages = read(&written(&[sheet()], Paper::Letter));
    assert_eq!(pages.len(), 1, "{pages:?}");
    for part in [
        "Sheriff's office · test-lake · finding 4adc7d3ffab3a8e2a5f4c6bf8a2f7c10",
        "printed 2026-07-04 21:00:00.0 PDT by an officer",
        "Breach · odds 98 in 100",
        "12.3 mph within 100 ft of the dock; the limit is 5 mph",
        "The clause asks for no distance.",
        "12.3 mph ± 0.4 mph; the limit is 5 mph",
        "P(faster) = Φ((v − limit) / σ) = 0.980",
        "revision 1",
        "Judged again it does not come out.",
        "SMC 10.14.140",
        "reading applied: strict",
        "Officer, date",
        "Reviewed by, date",
        MOTTO,
        "page 1 of 1",
    ] {
        assert!(pages[0].contains(part), "no {part:?} in {}", pages[0]);
    }
    // Letters of pictures stand each for itself, and are told by number where no font has them.
    let (joined, hash) = (pages[0].replace(' ', ""), "0123456789abcdef".repeat(4));
    assert_eq!(joined.matches("Ost[U+7801][U+5934]").count(), 3, "{joined}");
    // A hash goes over to the next line where it has to; the picture stands beside its first line.
    assert!(joined.replace("Ost[U+7801][U+5934]", "").contains(&hash), "{joined}");
}

#[test]
fn the_same_sheets_give_the_same_bytes() {
    let sheets = [sheet(), Sheet { is_breach: false, ..sheet() }];
    let first = written(&sheets, Paper::Letter);
    assert!((0..5).all(|_| written(&sheets, Paper::Letter) == first));
    assert_ne!(written(&sheets, Paper::A4), first);
}

#[test]
fn what_is_long_goes_on_on_further_pages_and_nothing_is_lost() {
    let (clause, sentence) = (words(3_000), words(400));
    let history: Vec<String> = (0..90).map(|i| format!("entry{i} by somebody")).collect();
    let mut long = Sheet { sentence: sentence.clone(), ..sheet() };
    long.columns[0].push(Block::History(history.clone()));
    long.columns[1].push(Block::Quote(clause.clone()));
    long.columns[1].push(Block::Facts(vec![Fact { name: "Long", lines: vec![Value::Code("¤".repeat(9_000))] }]));
    let pages = read(&written(&[long, sheet()], Paper::Letter));
    let count = pages.len();
    assert!(count > 4, "{count}");
    let all = pages.join(" ");
    for word in [sentence, clause].iter().flat_map(|text| text.split(' ')) {
        assert!(all.contains(word), "{word} is lost");
    }
    assert!(history.iter().all(|entry| all.contains(entry.as_str())));
    assert_eq!(all.matches('¤').count(), 9_000);
    for (i, page) in pages.iter().enumerate() {
        assert!(page.contains(&format!("page {} of {count}", i + 1)) && page.contains("test-lake"), "{page}");
        let is_last_of_one = i + 2 >= count;
        assert_eq!(page.contains("Officer, date"), is_last_of_one, "{page}");
        assert_eq!(page.contains("continued on the next page"), !is_last_of_one, "{page}");
    }
}

#[test]
fn nothing_stands_outside_of_its_frame() {
    let letters = Letters::new();
    for paper in [Paper::Letter, Paper::A4] {
        let mut rows = Rows::new(&letters);
        let mut long = sheet();
        long.columns[1].push(Block::Quote(words(2_000)));
        long.columns[0].push(Block::Facts(vec![Fact { name: "Long", lines: vec![Value::Code("W".repeat(400))] }]));
        let whole = frame(paper);
        for placed in lay(&mut rows, &long, paper).expect("pages").iter().flatten() {
            let (width, below) = match &placed.ink {
                Ink::Line { line, .. } => (line.width, 0.0),
                Ink::Picture { width, height, .. }
                | Ink::Filled { width, height, .. }
                | Ink::Ring { width, height } => (*width, *height),
            };
            let is_inside = placed.x >= whole.left - 0.1
                && placed.x + width <= whole.left + whole.width + 0.1
                && placed.y >= whole.top
                && placed.y + below <= whole.bottom + 0.1;
            assert!(is_inside, "{paper:?}: {} {} {width} {below}", placed.x, placed.y);
        }
    }
}

#[test]
fn readers_find_its_structure_its_language_and_its_title() {
    let pdf = written(&[sheet(), sheet()], Paper::A4);
    let document = lopdf::Document::load_mem(&pdf).expect("a document");
    let catalog = document.catalog().expect("a catalog");
    let text = |dictionary: &Dictionary, key: &[u8]| {
        let value = dictionary.get(key).expect("a key");
        let value = document.dereference(value).expect("a value").1;
        lopdf::decode_text_string(value).expect("a text")
    };
    assert_eq!(text(catalog, b"Lang"), "en");
    let info = document.trailer.get(b"Info").and_then(|info| document.dereference(info)).expect("what it is").1;
    let info = info.as_dict().expect("a dictionary");
    assert_eq!(text(info, b"Title"), "Finding 4adc");
    assert_eq!(text(info, b"Author"), "an officer");
    assert!(text(info, b"CreationDate").starts_with("D:20260705"), "{}", text(info, b"CreationDate"));
    let is_tagged = document.get_dict_in_dict(catalog, b"MarkInfo").and_then(|marked| marked.get(b"Marked"));
    assert!(matches!(is_tagged, Ok(Object::Boolean(true))));
    let tags: Vec<String> = (document.objects.values())
        .filter_map(|object| object.as_dict().ok()?.get(b"S").ok()?.as_name().ok())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    let count = |tag: &str| tags.iter().filter(|one| *one == tag).count();
    assert_eq!((count("H1"), count("H2"), count("Figure"), count("Table")), (2, 6, 6, 4), "{tags:?}");
    assert_eq!((count("TH"), count("TD"), count("LI"), count("BlockQuote"), count("Formula")), (6, 6, 2, 2, 2));
    let alternatives =
        document.objects.values().filter(|object| object.as_dict().is_ok_and(|of| of.has(b"Alt"))).count();
    assert_eq!(alternatives, 8, "pictures and formulas say what they show");
    assert_eq!(document.get_pages().len(), 2);
    let metadata = document.get_dict_in_dict(catalog, b"Metadata");
    assert!(metadata.is_ok() || catalog.has(b"Metadata"));
    let (pdf, standards) = (String::from_utf8_lossy(&pdf), ["pdfaid:part", "pdfuaid:part"]);
    assert!(standards.iter().all(|standard| pdf.contains(standard)));
}

#[test]
fn characters_that_no_font_has_are_told_by_number() {
    let letters = Letters::new();
    assert_eq!(letters.writable("Straße Ω ∞ Ж ế\n"), "Straße Ω ∞ Ж ế\n");
    assert_eq!(letters.writable("码\u{7}\u{fffe}\u{e000}🚤"), "[U+7801][U+0007][U+FFFE][U+E000][U+1F6A4]");
    let odd = "\u{202e}a\u{300}\u{ad}\u{feff}\u{0}\u{d7ff} \u{10ffff}";
    let mut sheet = Sheet { sentence: odd.to_owned(), title: odd.to_owned(), ..sheet() };
    sheet.columns[0].push(Block::Heading(String::new()));
    sheet.columns[0].push(Block::Formula(Vec::new()));
    sheet.columns[0].push(Block::History(vec![String::new(), odd.to_owned()]));
    assert_eq!(read(&written(&[sheet], Paper::Letter)).len(), 1);
}

#[test]
fn a_picture_that_is_none_is_said_and_not_left_out() {
    let broken = Picture { svg: "<svg".to_owned(), about: "a map".to_owned(), width_mm: 178.0, height_mm: 72.0 };
    let sheet = Sheet { drawn: vec![Drawn::Picture(broken)], ..sheet() };
    let error = write(&[sheet], Paper::Letter, &about()).expect_err("no picture");
    assert!(error.to_string().contains("\"a map\" cannot be read"), "{error}");
}

#[test]
fn lines_are_as_broad_as_they_may_be_and_keep_every_character() {
    let letters = Letters::new();
    let text = format!("{} {}", words(60), "abcdefghij".repeat(30));
    let lines = letters.set(&[(Weight::Bold, "Sheriff"), (Weight::Regular, &text)], 8.0, 120.0);
    assert!(lines.iter().all(|line| line.width <= 120.01));
    let joined: String = lines.iter().flat_map(|line| &line.parts).map(|part| part.text.as_str()).collect();
    assert_eq!(joined, format!("Sheriff {text}"));
    let narrow = letters.set(&[(Weight::Regular, "ab")], 8.0, 1.0);
    assert_eq!(narrow.len(), 2, "a line holds at least a character");
}
