//! What a claim accepts, how it is shown again, and what is said otherwise.

use probtest::claim::{Claim, IntoProbability, Outcomes, Probability};
use probtest::plan::{Plan, overestimated, violation_missed};

#[test]
fn a_float_means_the_decimal_it_prints_as() {
    for (float, text) in [
        (0.3, "3/10"),
        (0.1, "1/10"),
        (1e-3, "0.001"),
        (5e-324, "5e-324"),
        (0.2, "1/5"),
        (0.75, "3/4"),
        (0.0625, "1/16"),
        (6.4e-10, "64e-11"),
    ] {
        assert_eq!(Probability::from_f64(float).unwrap(), Probability::parse(text).unwrap());
    }
    assert_eq!(0.7f32.into_probability().unwrap(), Probability::parse("0.7").unwrap());
    let largest = 1f64.next_down();
    let text = format!("{largest:?}");
    assert_eq!(Probability::from_f64(largest).unwrap(), Probability::parse(&text).unwrap());
}

#[test]
fn a_probability_is_shown_as_it_was_given() {
    for text in ["0.01", "1/1024", "1e-3", "2.5E-4", "1 / 6", "0.010", "1 - 1e-20"] {
        assert_eq!(Probability::parse(text).unwrap().to_string(), text);
    }
    for (float, text) in [(0.01, "0.01"), (1e-12, "1e-12"), (0.3, "0.3")] {
        assert_eq!(Probability::from_f64(float).unwrap().to_string(), text);
    }
}

#[test]
fn what_is_shown_can_be_read_back() {
    for text in ["0.01", "1e-40", "1/3", "0.999", "1 - 1e-40", "1e-5"] {
        let p = Probability::parse(text).unwrap();
        for p in [p.complement(), p] {
            assert_eq!(Probability::parse(&p.to_string()).unwrap(), p);
            assert_eq!(p.complement().complement(), p);
        }
    }
}

#[test]
fn equal_values_are_equal_however_they_are_written() {
    assert_eq!(Probability::parse("0.5").unwrap(), Probability::parse("512/1024").unwrap());
    assert!(Probability::parse("1/3").unwrap() > Probability::parse("0.3333333333333333").unwrap());
    assert!(Probability::parse("1e-400").unwrap() < Probability::parse("2e-400").unwrap());
}

#[test]
fn the_nearest_float_is_correctly_rounded() {
    for text in
        ["0.1", "1/3", "2/3", "1e-300", "0.9999999999999999999", "1e-12", "123456789/987654321987"]
    {
        let p = Probability::parse(text).unwrap();
        let float = match text.split_once('/') {
            Some((a, b)) => a.parse::<f64>().unwrap() / b.parse::<f64>().unwrap(),
            None => text.parse().unwrap(),
        };
        assert_eq!(p.as_f64(), float, "{text}");
    }
    assert_eq!(Probability::parse("1e-400").unwrap().as_f64(), 0.0);
}

fn message(text: &str) -> String {
    Probability::parse(text).unwrap_err().to_string()
}

#[test]
fn each_refusal_says_what_was_given_and_what_to_do() {
    let help = "\n  help   write a probability such as 0.01, 1e-3 or 1/1024";
    for text in
        ["0", "1", "1.0", "-0.1", "2", "0/3", "3/3", "5/3", "-1/3", "inf", "-inf", "1e5", "0.0e-3"]
    {
        assert_eq!(
            message(text),
            format!("a probability is not strictly between 0 and 1\n  given  {text}{help}")
        );
    }
    for text in
        ["nan", "abc", "1e", "0.1.2", ".", "1/2/3", "0x1", "1_0", "--1", "1/", "/2", "1 - ", "٣/٤"]
    {
        let given = text.trim();
        assert_eq!(message(text), format!("a probability is not a number\n  given  {given}{help}"));
    }
    assert_eq!(message("  "), format!("a probability is empty\n  given  \"  \"{help}"));
    assert_eq!(
        message("5%"),
        "a probability is written in percent, but probabilities are written as decimals or \
         fractions\n  given  5%\n  help   write 0.05 instead"
    );
    assert_eq!(
        message("1/0"),
        "a probability divides by zero\n  given  1/0\n  help   write a fraction such as 1/1024"
    );
    assert_eq!(
        message("1e-10001"),
        "a probability has an exponent beyond 10000\n  given  1e-10001\n  help   write a \
         probability such as 1e-300"
    );
    let decimal = message(&format!("0.{}", "1".repeat(1001)));
    assert!(
        decimal.starts_with("a probability has 1002 digits, but at most 1000 are read"),
        "{decimal}"
    );
    assert!(message("1e-99999999999999999999").starts_with("a probability has an exponent"));
    assert!(decimal.ends_with("help   round it, or write it as a fraction"), "{decimal}");
    let fraction = message(&format!("1/{}", "1".repeat(1001)));
    assert!(
        fraction.ends_with("help   shorten the fraction, or round it to a decimal"),
        "{fraction}"
    );
}

#[test]
fn the_name_of_the_quantity_is_in_the_message() {
    let p = Claim::detect(f64::NAN, 0.05).unwrap_err().to_string();
    assert!(p.starts_with("p is not a number\n  given  NaN"), "{p}");
    let epsilon = Claim::detect(0.05, 1.0).unwrap_err().to_string();
    assert!(
        epsilon.starts_with("epsilon is not strictly between 0 and 1\n  given  1.0"),
        "{epsilon}"
    );
    let outcome = Outcomes::new([0.5, 0.0]).unwrap_err().to_string();
    assert!(outcome.starts_with("an outcome is not strictly"), "{outcome}");
}

#[test]
fn outcomes_that_sum_to_exactly_one_are_accepted() {
    for list in ["0.1 x 10", "1/3 x 3", "0.7, 0.2, 0.1", "1/6x6", "1e-300, 1 - 1e-300", "0.01*100"]
    {
        assert!(Outcomes::parse(list).is_ok(), "{list}");
    }
    // 1/2 + 1/6 + 1/12 + ... + 1/(n (n + 1)) + 1/(n + 1) is 1; no common denominator can be held.
    let n = 20_000u64;
    let series = (1..=n).map(|i| Probability::from_ratio(1, i * (i + 1)).unwrap());
    let last = Probability::from_ratio(1, n + 1).unwrap();
    assert_eq!(Outcomes::new(series.chain([last])).unwrap().len(), 20_001);
}

#[test]
fn outcomes_that_sum_to_more_than_one_are_refused_however_little_it_is() {
    assert_eq!(
        Outcomes::new([0.5, 0.6]).unwrap_err().to_string(),
        "probabilities sum to 1.1, but the outcomes of one program sum to at most 1\n  given  0.5, \
         0.6\n  help   lower a probability or remove an outcome"
    );
    let close = Outcomes::parse("0.5, 0.5, 1e-300").unwrap_err().to_string();
    assert!(close.starts_with("probabilities sum to slightly more than 1, but"), "{close}");
    let rounded = Outcomes::new([5.0 / 6.0, 1.0 / 6.0]).unwrap_err();
    let help = "help   write fractions such as \"1/6\", which are not rounded";
    assert!(rounded.to_string().contains(help), "{rounded}");
    assert!(Outcomes::parse("1/3 x 3, 1e-1000").is_err());
}

#[test]
fn lists_without_outcomes_or_counts_are_refused() {
    let none = "the list of outcomes is empty";
    let many = "1000001 outcomes are too many: a plan takes at most 1000000";
    let repeated = "what follows the x in an outcome is not a count above 0";
    for (outcomes, what) in [
        (Outcomes::parse("  "), none),
        (Outcomes::new(Vec::<f64>::new()), none),
        (Outcomes::equal(0), none),
        (Outcomes::equal(1), "an outcome is not strictly between 0 and 1"),
        (Outcomes::equal(1_000_001), many),
        (Outcomes::parse("1e-9 x 1000001"), many),
        (Outcomes::parse("0.1 x 0"), repeated),
        (Outcomes::parse("0.1 x"), repeated),
        (Outcomes::parse("0.1 x two"), repeated),
        (Outcomes::parse("0.1 x -1"), repeated),
        (Outcomes::parse("0.1,,0.2"), "an outcome is empty"),
    ] {
        assert_eq!(outcomes.unwrap_err().what(), what);
    }
}

#[test]
fn a_miss_shows_as_many_digits_as_tell_it_from_epsilon() {
    let claim = Claim::detect(1e-9, 0.05).unwrap();
    let (plan, epsilon) = (Plan::new(&claim).unwrap(), claim.epsilon().unwrap());
    assert_eq!(plan.miss().to_string(), "0.05000");
    assert_eq!(plan.miss().display_against(epsilon), "0.04999999995");
    assert_eq!(plan.miss_before().display_against(epsilon), "0.050000000003");
}

#[test]
fn a_probability_is_overestimated_exactly() {
    let p = Probability::from_f64(0.01).unwrap();
    assert_eq!(overestimated(&p, 0.56).unwrap().to_string(), "0.0156");
    assert_eq!(overestimated(&p, "1/3").unwrap().to_string(), "1/75");
    assert!(overestimated(&p, 99).is_err());
}

#[test]
fn a_mean_between_0_and_1_within_a_twentieth_takes_at_most_6625_executions() {
    let mean = probtest::mean().between(0, 1).within(0.45, 0.55);
    let plan = Plan::new(&mean.margin(0.05).claim().unwrap()).unwrap();
    assert_eq!(plan.executions(), 6625);
}

#[test]
fn a_chance_too_small_for_digits_is_shown_by_a_bound() {
    // 1e-3 to the power of 2^63: the power of ten has 20 digits.
    let chance = violation_missed(&Probability::parse("0.999").unwrap(), 1 << 63);
    assert_eq!(chance.to_string(), "below 1e-18000000000000000000");
}
