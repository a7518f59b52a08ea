//! What other methods need, and the paper's comparison.

use probtest_paper::comparison::{
    TWO_SIDED, TwoSided, csv, findings, one_sided, truncated, two_sided, two_sided_chernoff,
    two_sided_hoeffding, wald,
};

/// Numbers that were computed elsewhere, in the order of the table.
#[test]
fn counts_of_two_sided_claims_are_those_of_an_independent_computation() {
    let expected = [
        (3_685, 991, (589, 42), (272, 230)),
        (73_969, 1_232, (628, 2), (415, 247)),
        (239_659, 6_910, (3137, 22), (1749, 1481)),
        (7_396_870, 12_375, (6294, 2), (4165, 2477)),
    ];
    for (claim, (hoeffding, chernoff, (executions, accepted), (good, bad))) in
        TWO_SIDED.iter().zip(expected)
    {
        assert_eq!(two_sided_hoeffding(claim), hoeffding, "{claim:?}");
        assert_eq!(two_sided_chernoff(claim), chernoff, "{claim:?}");
        let fixed = claim.plan().sequential().unwrap().fixed();
        let fixed = (fixed.executions, fixed.allowed);
        assert_eq!(fixed, (executions, accepted), "{claim:?}");
        let cost = wald(claim);
        let expected = (f64::from(good), f64::from(bad));
        assert_eq!((cost.at_tolerate.round(), cost.at_p.round()), expected, "{claim:?}");
    }
}

#[test]
fn the_sequential_plan_keeps_both_errors_and_has_an_end() {
    for claim in &TWO_SIDED {
        let cost = truncated(claim);
        assert!(cost.miss <= claim.epsilon, "{claim:?}: {cost:?}");
        assert!(cost.false_alarm <= claim.false_alarm * (1.0 + 1e-9), "{claim:?}: {cost:?}");
        assert!(cost.at_tolerate < cost.most.unwrap() as f64);
    }
}

/// The probability that nothing is decided after that long is below 1e-12.
#[test]
fn the_textbook_boundaries_of_wald_miss_more_often_than_they_should() {
    let claim = TwoSided { tolerate: 0.005, p: 0.01, false_alarm: 0.05, epsilon: 0.05 };
    let cost = wald(&claim);
    assert!((cost.miss - 0.0504).abs() < 5e-5, "{}", cost.miss);
    assert_eq!(cost.most, None);
}

#[test]
fn slips_in_the_papers_arithmetic_are_named() {
    let findings = findings();
    let ours: Vec<&str> = findings.iter().map(|finding| finding.ours.as_str()).collect();
    assert_eq!(ours, ["18445", "a factor of 6.2", "4640", "1645 more", "6 of 8 claims"]);
    let verdicts: Vec<bool> = findings.iter().map(|finding| finding.agrees).collect();
    assert_eq!(verdicts, [false, false, false, false, true]);
}

#[test]
fn the_table_has_a_line_for_each_method_and_claim() {
    let rows = [one_sided(), two_sided()].concat();
    let csv = csv(&rows);
    let lines: usize = rows.iter().map(|row| row.needs.len()).sum();
    assert_eq!(csv.lines().count(), 1 + lines);
    assert!(csv.contains(
        "\"p = 0.01, epsilon = 0.05\",\"frozen lake, Q1\",Hoeffding,18445,,18445,the paper prints > 70000\n"
    ));
}
