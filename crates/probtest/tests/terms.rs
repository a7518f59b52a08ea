//! The terms of a claim: what they become, and what they lack.

use probtest::claim::{Numbers, Terms};
use probtest::{Claim, Settings, cover, detect, estimate, fit, mean, tolerate};
use rand::RngExt;

fn each_kind() -> [Claim; 6] {
    let coin = fit().labels([("a", "1/3"), ("b", "1/7")]).distance(0.2);
    let number = mean().between(-1, 2).within(0, 0.5).margin(0.25);
    let claims = [
        detect(0.01).epsilon(0.02).claim(),
        cover(["1/6"; 6]).epsilon("1e-30").claim(),
        tolerate("1/300").p(0.1).false_alarm(1e-12).claim(),
        number.epsilon(0.01).false_alarm(1e-12).claim(),
        coin.epsilon(0.01).false_alarm(1e-12).claim(),
        estimate(0.1).confidence(0.99).claim(),
    ];
    claims.map(Result::unwrap)
}

#[test]
fn a_claim_survives_being_taken_for_terms() {
    for claim in each_kind() {
        let terms: Terms = Terms::from(&claim);
        assert_eq!(terms.claim(), Ok(claim));
    }
}

#[test]
fn terms_say_the_same_one_by_one_and_at_once() {
    let labels = [("heads", "1/2"), ("tails", "1/3")];
    let one_by_one = fit().label("heads", "1/2").label("tails", "1/3");
    assert_eq!(one_by_one, fit().labels(labels));
    let constructed = Claim::tolerate(0.001, 0.01, 0.05, 1e-6);
    assert_eq!(tolerate(0.001).claim(), constructed);
    assert_eq!(detect(0.001).claim(), Claim::detect("1/1000", "1/20"));
}

#[test]
fn both_chances_are_those_that_are_said_or_the_usual_ones() {
    let said = mean().between(0, 1).above(0.9).margin(0.05);
    let chances = |claim: Claim| {
        let (epsilon, alarm) = (claim.epsilon().unwrap(), claim.false_alarm().unwrap());
        (epsilon.to_string(), alarm.to_string())
    };
    let usual = said.clone().claim().unwrap();
    assert_eq!(chances(usual), ("0.05".into(), "1e-6".into()));
    let both = said.epsilon("1/1000").false_alarm("1e-9").claim().unwrap();
    assert_eq!(chances(both), ("1/1000".into(), "1e-9".into()));
}

#[test]
fn terms_that_lack_a_part_say_which_and_what_was_said() {
    let lacks = |terms: Terms<Numbers>, part: &str, said: &str| {
        let error = terms.claim().unwrap_err().to_string();
        let words =
            format!("the test does not say {part}\n  given  {said}\n  help   a mean needs ");
        assert!(error.starts_with(&words), "{error}");
    };
    let one = "exactly one of within, above and below";
    lacks(mean(), "between", "none of them");
    lacks(mean().between(0, 1), "margin", "between = (0, 1)");
    let terms = || mean().between(0, 1).margin(0.1);
    lacks(terms(), one, "between = (0, 1), margin = 0.1");
    lacks(
        terms().above(0.4).below(0.6),
        one,
        "between = (0, 1), above = 0.4, below = 0.6, margin = 0.1",
    );
    let error = fit().labels([("a", 0.5), ("b", 0.5)]).claim().unwrap_err();
    assert_eq!(error.what(), "the test does not say the distance");
    assert_eq!(error.given(), "2 labels");
}

#[test]
fn a_probability_that_is_none_is_refused_by_its_name() {
    let terms = || mean().between(0, 1).above(0.5).margin(0.1);
    for (terms, name) in
        [(terms().epsilon(0.0), "epsilon"), (terms().false_alarm("2"), "false_alarm")]
    {
        let error = terms.claim().unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name} is not strictly")), "{error}");
    }
    let error = fit().label("a", 5.0).distance(0.1).claim().unwrap_err();
    assert!(error.to_string().starts_with("the probability of a label is not strictly"));
}

#[test]
fn a_check_takes_terms_and_refuses_what_makes_no_claim() {
    let settings = || Settings::new("uniform").seed(7);
    let terms = mean().between(0, 1).within(0.45, 0.55);
    let body = |rng: &mut probtest::TestRng| rng.random::<f64>();
    let error = probtest::check(terms.clone(), settings(), body).unwrap_err();
    assert_eq!(error.what(), "the test does not say margin");
    assert!(probtest::check(terms.margin(0.1), settings(), body).unwrap().passed());
}

#[test]
fn whole_numbers_of_every_width_have_a_mean() {
    let claim = || mean().between(0, 10).above(3).margin(1);
    let settings = || Settings::new("four").seed(7);
    for report in [
        probtest::check(claim(), settings(), |_| 4_usize),
        probtest::check(claim(), settings(), |_| 4_u64),
        probtest::check(claim(), settings(), |_| 4_i64),
        probtest::check(claim(), settings(), |_| 4_isize),
    ] {
        assert!(report.unwrap().passed());
    }
}
