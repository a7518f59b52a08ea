//! The terms of a claim on a mean or on labels: what they become, and what they lack.

use probtest::claim::numeric::{FitClaim, FitTerms, MeanClaim, MeanTerms, NumericError};
use probtest::{Options, fit, mean};
use rand::RngExt;

#[test]
fn terms_become_the_claim_that_its_constructor_makes() {
    let bounds = (0.0, 1.0);
    let terms = || mean().between(0, 1).margin(0.05);
    let within = MeanClaim::within(bounds, (0.45, 0.55), 0.05);
    assert_eq!(terms().within(0.45, 0.55).claim(), within);
    let above = MeanClaim::above(bounds, 0.9, 0.05);
    assert_eq!(terms().above(0.9).claim(), above);
    let below = MeanClaim::below(bounds, 0.1, 0.05);
    assert_eq!(terms().below(0.1).claim(), below);
    let labels = [("heads", "1/2"), ("tails", "1/3")];
    let listed = FitClaim::new(labels, 0.1).unwrap().epsilon(0.01).unwrap();
    let one_by_one = fit().label("heads", "1/2").label("tails", "1/3");
    let terms = one_by_one.distance(0.1).epsilon(0.01);
    assert_eq!(terms.claim().as_ref(), Ok(&listed));
    assert_eq!(
        fit().labels(labels).distance(0.1).epsilon(0.01).claim(),
        Ok(listed)
    );
}

#[test]
fn both_chances_are_those_that_are_said_or_the_usual_ones() {
    let said = mean().between(0, 1).above(0.9).margin(0.05);
    let usual = said.clone().claim().unwrap();
    assert_eq!(usual, MeanClaim::above((0.0, 1.0), 0.9, 0.05).unwrap());
    let both = said.epsilon("1/1000").false_alarm("1e-9").claim().unwrap();
    assert_eq!(
        Ok(&both),
        usual
            .epsilon("1/1000")
            .unwrap()
            .false_alarm("1e-9")
            .as_ref()
    );
}

#[test]
fn a_claim_survives_being_taken_for_terms() {
    let claim = mean()
        .between(-1, 2)
        .within(0, 0.5)
        .margin(0.25)
        .epsilon(0.01);
    let claim = claim.false_alarm(1e-12).claim().unwrap();
    assert_eq!(MeanTerms::from(&claim).claim(), Ok(claim));
    let claim = fit()
        .label("a", "1/3")
        .label("b", "1/7")
        .distance(0.2)
        .epsilon(0.01);
    let claim = claim.false_alarm(1e-12).claim().unwrap();
    assert_eq!(FitTerms::from(&claim).claim(), Ok(claim));
}

#[test]
fn terms_that_lack_a_part_say_which_and_what_was_said() {
    let lacks = |terms: MeanTerms, part: &str, said: &str| {
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
    assert!(matches!(
        error,
        NumericError::Incomplete {
            what: "distance",
            ..
        }
    ));
}

#[test]
fn a_probability_that_is_none_is_refused_by_its_name() {
    let terms = || mean().between(0, 1).above(0.5).margin(0.1);
    for (terms, name) in [
        (terms().epsilon(0.0), "epsilon"),
        (terms().false_alarm("2"), "false_alarm"),
    ] {
        let error = terms.claim().unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{name} is not strictly")),
            "{error}"
        );
    }
    let error = fit().label("a", 5.0).distance(0.1).claim().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the probability of a label is not strictly")
    );
}

#[test]
fn the_plain_functions_take_terms_and_refuse_what_makes_no_claim() {
    let options = || Options::new("uniform").seed(7);
    let terms = mean().between(0, 1).within(0.45, 0.55);
    let body = |rng: &mut probtest::TestRng| rng.random::<f64>();
    let error = probtest::numeric::mean(terms.clone(), options(), body).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the test does not say margin\n"),
        "{error}"
    );
    let said = probtest::numeric::mean(terms.clone().margin(0.1), options(), body).unwrap();
    let claim = terms.margin(0.1).claim().unwrap();
    let whole = probtest::numeric::mean(&claim, options(), body).unwrap();
    assert!(said.passed());
    assert_eq!(said.counts, whole.counts);
}

#[test]
fn whole_numbers_of_every_width_have_a_mean() {
    let claim = || mean().between(0, 10).above(3).margin(1);
    let options = || Options::new("four").seed(7);
    assert!(
        probtest::numeric::mean(claim(), options(), |_| 4_usize)
            .unwrap()
            .passed()
    );
    assert!(
        probtest::numeric::mean(claim(), options(), |_| 4_u64)
            .unwrap()
            .passed()
    );
    assert!(
        probtest::numeric::mean(claim(), options(), |_| 4_i64)
            .unwrap()
            .passed()
    );
    assert!(
        probtest::numeric::mean(claim(), options(), |_| 4_isize)
            .unwrap()
            .passed()
    );
}
