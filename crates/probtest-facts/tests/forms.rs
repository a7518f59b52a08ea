//! Every form is read as it was written, and words of later versions are kept.

use probtest_facts::read::{ReadError, results};
use probtest_facts::{
    Claim, Direction, Doubt, DoubtKind, FORMAT, Finding, Kind, ManyTests, Note, NoteKind, Observed,
    PlanFacts, Rate, Reason, ReasonKind, Remembered, Share, Shares, SuiteEpsilon, SuiteFacts,
    TestFacts, Verdict, Violation,
};
use serde_json::{Value, json};

fn violation() -> Violation {
    Violation {
        message: "left != right".into(),
        location: Some("src/walk.rs:7:5".into()),
        details: None,
    }
}

fn findings() -> Vec<Finding> {
    let message = || "the mean is 0.7".to_owned();
    vec![
        Finding::Execution(violation()),
        Finding::Rate { first: Some(3), violation: violation() },
        Finding::Unseen { outcomes: vec![0, 4] },
        Finding::Mean { direction: Direction::High, message: message() },
        Finding::Label {
            direction: Direction::Low,
            message: message(),
            label: Some("heads".into()),
        },
        Finding::Impossible { message: message(), label: None },
    ]
}

fn full() -> TestFacts {
    TestFacts {
        kind: Some(Kind::Tolerate),
        test: "walks::ends".into(),
        package: Some("walks".into()),
        verdict: Verdict::Violated,
        claim: Claim { p: Some(0.1), p_exact: Some("0.1".into()), ..Claim::default() },
        rate: Some(Rate { seen: Some(0.5), low: 0.25, high: 0.75, confidence: 0.95 }),
        observed: Some(Observed::default()),
        executed: 24,
        finding: findings().pop(),
        reason: Some(Reason {
            kind: ReasonKind::TwoResults,
            message: "the same execution gave two results".into(),
            help: String::new(),
        }),
        suite: Some(Shares { epsilon: Some(Share::default()), false_alarm: None }),
        remembered: Some(Remembered::Fixed {
            addresses: vec!["0x5eed:9".into()],
            words: "it no longer violates".into(),
        }),
        notes: vec![Note { kind: NoteKind::LargeP, words: "p is large".into() }],
        doubts: vec![Doubt {
            kind: DoubtKind::FewDrew,
            drew: Some(1),
            looked_at: Some(299),
            ..Doubt::default()
        }],
        ..TestFacts::default()
    }
}

#[test]
fn a_result_is_read_as_it_was_written() {
    for finding in findings() {
        let facts = TestFacts { finding: Some(finding), ..full() };
        let text = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<TestFacts>(&text).unwrap(), facts);
    }
    let written = serde_json::to_value(full()).unwrap();
    assert_eq!(written["probtest"], FORMAT);
    assert_eq!(written["reason"]["kind"], "two_results");
    assert_eq!(written["remembered"]["kind"], "fixed");
    assert_eq!(written["remembered"]["words"], "it no longer violates");
    assert_eq!(written["notes"][0]["kind"], "large_p");
    assert_eq!(written["doubts"][0]["kind"], "few_drew");
    assert_eq!(written["index"], Value::Null);
    assert!(written.get("nodeid").is_none());
}

#[test]
fn a_run_and_a_plan_are_read_as_they_were_written() {
    let many = ManyTests {
        tests: vec![full()],
        suite: Some(SuiteFacts {
            epsilon: Some(SuiteEpsilon {
                executed: 3,
                words: vec!["3 tests share it".into()],
                ..SuiteEpsilon::default()
            }),
            ..SuiteFacts::default()
        }),
        ..ManyTests::default()
    };
    let text = serde_json::to_string(&many).unwrap();
    assert_eq!(serde_json::from_str::<ManyTests>(&text).unwrap(), many);
    let plan = PlanFacts {
        executions: 299,
        claim: Claim { p: Some(0.01), epsilon: Some(0.05), ..Claim::default() },
        miss: 0.049,
        ..PlanFacts::default()
    };
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(text, r#"{"probtest":2,"executions":299,"p":0.01,"epsilon":0.05,"miss":0.049}"#);
    assert_eq!(serde_json::from_str::<PlanFacts>(&text).unwrap(), plan);
}

#[test]
fn what_a_later_version_says_is_kept() {
    let later = json!({
        "probtest": 2, "test": "t", "kind": "median", "verdict": "postponed", "executed": 1,
        "claim": {"p": 0.1, "quantile": 0.5},
        "finding": {"kind": "median", "message": "it is 7", "at": 7},
        "reason": {"kind": "eclipse", "message": "it is dark", "help": "wait"},
        "remembered": {"kind": "forgotten", "why": "age"},
        "notes": [{"kind": "weather", "words": "it rains"}],
        "a field": [1],
    });
    let facts: TestFacts = serde_json::from_value(later.clone()).unwrap();
    assert_eq!(facts.verdict, Verdict::Other("postponed".into()));
    assert_eq!(facts.claim.unknown["quantile"], probtest_facts::json::Value::Float(0.5));
    assert_eq!(facts.finding.as_ref().unwrap().message(), Some("it is 7"));
    let again = serde_json::to_value(facts).unwrap();
    for field in ["kind", "verdict", "claim", "finding", "reason", "remembered", "notes"] {
        assert_eq!(again[field], later[field], "{field}");
    }
}

#[test]
fn errors_name_the_test_the_field_and_the_place() {
    let good = r#"{"probtest": 2, "test": "t", "verdict": "passed", "claim": {}, "executed": 9}"#;
    let read = |text: &str| {
        let found = results(text)?;
        found.results.iter().map(|one| one.read()).collect()
    };
    let wrong = |text: &str| -> String {
        let read: Result<Vec<TestFacts>, ReadError> = read(text);
        read.unwrap_err().to_string()
    };
    assert!(wrong(&good.replace('9', "-1")).starts_with("`executed` of the test t is wrong: "));
    assert_eq!(
        wrong(&good.replace(", \"executed\": 9", "")),
        "the result of the test t is wrong: missing field `executed`"
    );
    assert_eq!(
        wrong(&good.replace("{}", r#"{"p": "0.1"}"#)),
        "`claim.p` of the test t is wrong: invalid type: string \"0.1\", expected f64"
    );
    for version in [1, 3] {
        let other = good.replace("2,", &format!("{version},"));
        assert_eq!(read(&other).unwrap_err(), ReadError::Version(version));
        let inside = format!(r#"{{"probtest": 2, "tests": [{other}]}}"#);
        assert_eq!(read(&inside).unwrap_err(), ReadError::Version(version));
    }
    assert_eq!(read(&format!("{good}\n{good}")).unwrap().len(), 2);
}

#[test]
fn counterexamples_that_did_not_violate_have_words_where_the_file_has_them() {
    let words = |form: Value| {
        let remembered: Remembered = serde_json::from_value(form).unwrap();
        remembered.words().map(str::to_owned)
    };
    let unsteady = json!({ "kind": "unsteady", "addresses": [], "words": "it did not" });
    assert_eq!(words(unsteady), Some("it did not".into()));
    let later = json!({ "kind": "of_a_later_version", "words": "it is new" });
    assert_eq!(words(later), Some("it is new".into()));
    assert_eq!(words(json!({ "kind": "fixed", "addresses": [] })), None);
    assert_eq!(words(json!({ "kind": "again", "address": "1:1" })), None);
}

#[test]
fn numbers_are_read_to_the_last_bit() {
    // A plain reader of serde_json is off by one bit here.
    let text = r#"{"probtest": 2, "test": "walk", "verdict": "passed", "claim": {},
        "executed": 8, "false_alarm": 1e-66}"#;
    let found = probtest_facts::read::results(text).unwrap();
    let facts = found.results[0].read().unwrap();
    assert_eq!(facts.false_alarm, Some(1e-66));
}
