use super::{Malformed, Number, Place, Ratio};

fn place(text: &str) -> Place {
    Number::parse(text).expect(text).place()
}

fn ratio(text: &str) -> Ratio {
    Number::parse(text).expect(text).ratio().expect(text)
}

#[test]
fn twenty_nines_after_the_point_are_below_one() {
    // The fact that makes digits necessary.
    assert_eq!("0.99999999999999999999".parse(), Ok(1.0));
    assert_eq!(place("0.99999999999999999999"), Place::Inside);
    assert_eq!(
        place("99999999999999999999/100000000000000000000"),
        Place::Inside
    );
}

#[test]
fn decimals_are_placed_by_their_first_digit() {
    for inside in [
        "0.5", ".5", "0.01", "1e-3", "1E-3", "9.99e-1", "1e-400", "00.1", "10e-2", "1e-0001",
        " 0.5 ",
    ] {
        assert_eq!(place(inside), Place::Inside, "{inside}");
    }
    for one in ["1", "1.", "1.000", "10e-1", "0.1e1", "0.001e+3", "100e-2"] {
        assert_eq!(place(one), Place::One, "{one}");
    }
    for above in [
        "2",
        "1.0000000000000000000000001",
        "1e1",
        "0.11e1",
        "101e-2",
    ] {
        assert_eq!(place(above), Place::Above, "{above}");
    }
    for zero in ["0", "0.0", ".0", "0e5", "0e-5", "000"] {
        assert_eq!(place(zero), Place::Zero, "{zero}");
    }
}

#[test]
fn exponents_past_every_machine_integer_keep_their_side() {
    assert_eq!(place("1e-99999999999999999999999"), Place::Inside);
    assert_eq!(place("1e99999999999999999999999"), Place::Above);
    assert_eq!(place("0e99999999999999999999999"), Place::Zero);
    assert_eq!(place("0.1e-9223372036854775807"), Place::Inside);
}

#[test]
fn fractions_are_placed_by_comparing_whole_numbers() {
    assert_eq!(place("1/1024"), Place::Inside);
    assert_eq!(place(" 1 / 1024 "), Place::Inside);
    assert_eq!(place("007/8"), Place::Inside);
    assert_eq!(place("8/8"), Place::One);
    assert_eq!(place("9/8"), Place::Above);
    assert_eq!(place("10/9"), Place::Above);
    assert_eq!(place("0/8"), Place::Zero);
}

#[test]
fn texts_that_are_no_number_say_why() {
    assert_eq!(Number::parse("-0.5"), Err(Malformed::Negative));
    assert_eq!(Number::parse("1%"), Err(Malformed::Percent));
    assert_eq!(Number::parse("1/0"), Err(Malformed::DividedByZero));
    for junk in [
        "", " ", ".", "e5", "1e", "1e+", "1e1.5", "0,5", "0.5.5", "half", "1/", "/2", "1/2/3",
        "1.0/2", "1/-2", "nan", "inf", "0x1", "0.5 0.5", "1_000", "+0.5", "\u{0661}",
    ] {
        assert_eq!(Number::parse(junk), Err(Malformed::Junk), "{junk}");
    }
}

#[test]
fn ten_tenths_sum_to_exactly_one() {
    let mut sum = Ratio::ZERO;
    for _ in 0..10 {
        sum = sum.plus(ratio("0.1")).expect("fits");
    }
    assert!(!sum.exceeds_one());
    assert_eq!(sum.to_string(), "1");
    assert_eq!(ratio("0.1").times(10), Some(sum));
}

#[test]
fn sums_are_shown_as_a_decimal_where_it_ends() {
    let sum = |left: &str, right: &str| ratio(left).plus(ratio(right)).expect("fits").to_string();
    assert_eq!(sum("0.5", "0.6"), "1.1");
    assert_eq!(sum("0.05", "1/4"), "0.3");
    assert_eq!(sum("2/3", "1/2"), "7/6");
    assert_eq!(sum("3e-1", "7e-1"), "1");
    assert_eq!(ratio("1/6").times(7).expect("fits").to_string(), "7/6");
}

#[test]
fn sums_that_do_not_fit_are_left_to_the_run_time_check() {
    assert_eq!(Number::parse("1e-39").map(|n| n.ratio()), Ok(None));
    let tiny = ratio("1/340282366920938463463374607431768211455");
    assert_eq!(tiny.plus(ratio("1/2")), None);
}

#[test]
fn ratios_are_compared_exactly_and_not_at_all_where_they_do_not_fit() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let compare = |one: &str, two: &str| {
        let ratio = |text| Number::parse(text).unwrap().ratio();
        ratio(one)?.compare(ratio(two)?)
    };
    assert_eq!(compare("1/100", "0.010"), Some(Equal));
    assert_eq!(compare("0.1", "0.01"), Some(Greater));
    assert_eq!(compare("1/3", "0.33334"), Some(Less));
    assert_eq!(
        compare("0.1", "0.10000000000000000000000000000000001"),
        Some(Less)
    );
    assert_eq!(compare("1e-300", "0.1"), None);
}
