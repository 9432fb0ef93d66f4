use super::*;

#[test]
fn shipped_rulebooks_are_read() {
    for (name, text) in SHIPPED {
        if let Err(faults) = Rulebook::from_toml(name, text) {
            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
            panic!("{}", faults.join("\n"));
        }
    }
}
