//! The JSON Schema that is checked in is that of the types.

use std::path::Path;

use probtest_facts::Document;

/// `PROBTEST_WRITE=1 cargo test -p probtest-facts --test schema` writes it.
#[test]
fn the_schema_of_the_documentation_is_that_of_the_types() {
    let mut schema = schemars::schema_for!(Document);
    schema.insert("title".into(), "The JSON form of probtest".into());
    let made = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/probtest.schema.json");
    if std::env::var_os("PROBTEST_WRITE").is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(known, made, "run it again with PROBTEST_WRITE=1 and look at the difference");
}
