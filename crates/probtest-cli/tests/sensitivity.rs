//! `probtest sensitivity`.

use crate::common::probtest;

#[test]
fn the_ten_factors_of_the_paper_are_shown_by_default() {
    let ran = probtest(&["sensitivity", "--p", "0.1", "--epsilon", "0.05"]).exits(0);
    assert_eq!(
        ran.stdout,
        "29 executions for the real p = 0.1, epsilon = 0.05
  factor  believed  executions_believed  executions  short  miss     added_miss
  0.01    0.101     29                   29          0      0.04710  -0.002899
  0.5644  0.1564    18                   29          11     0.1501   0.1001
  1.119   0.2119    13                   29          16     0.2542   0.2042
  1.673   0.2673    10                   29          19     0.3487   0.2987
  2.228   0.3228    8                    29          21     0.4305   0.3805
  2.782   0.3782    7                    29          22     0.4783   0.4283
  3.337   0.4337    6                    29          23     0.5314   0.4814
  3.891   0.4891    6                    29          23     0.5314   0.4814
  4.446   0.5446    6                    29          23     0.5314   0.4814      symmetric to 0.4554
  5       0.6       7                    29          22     0.4783   0.4283      symmetric to 0.4
"
    );
}

#[test]
fn text_json_and_documentation_call_each_column_the_same() {
    let text = probtest(&["sensitivity", "--p", "0.01", "--factor", "1"]).exits(0);
    let heads = text.stdout.lines().nth(1).unwrap().split_whitespace();
    let cells: Vec<&str> = text.stdout.lines().nth(2).unwrap().split_whitespace().collect();
    let words = ["sensitivity", "--p", "0.01", "--factor", "1", "--json"];
    let row = probtest(&words).exits(0).json()["rows"][0].clone();
    // Twice the real p needs half the executions.
    let counts = ["executions", "executions_believed", "short"].map(|name| row[name].as_u64());
    assert_eq!(counts, [Some(299), Some(149), Some(150)]);
    assert_eq!(row["believed_exact"], "0.02");
    for (head, cell) in heads.zip(cells) {
        let number = row[head].as_f64().unwrap_or(f64::NAN);
        let shown: f64 = cell.parse().unwrap();
        assert!((number - shown).abs() < 1e-3, "{head}: {number} {shown}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/command.md");
    let page = std::fs::read_to_string(path).unwrap();
    for field in row.as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{field}`")), "{field}");
    }
}

#[test]
fn a_believed_p_of_one_or_more_is_not_a_probability() {
    probtest(&["sensitivity", "--p", "0.3", "--factor", "0,3"])
        .exits(0)
        .says("3       1 or more  not a probability");
    let words = ["sensitivity", "--p", "0.3", "--factor", "3", "--json"];
    let json = probtest(&words).exits(0).json();
    assert_eq!(json["rows"][0]["note"], "not_a_probability");
}

#[test]
fn factors_below_zero_or_no_numbers_are_refused() {
    for factor in ["-1", "nan", "inf", "", "one", "1/0"] {
        probtest(&["sensitivity", "--p", "0.1", "--factor", factor])
            .exits(2)
            .complains("error: --factor is not a number of 0 or more")
            .complains(&format!("given  \"{factor}\""));
    }
    probtest(&["sensitivity", "--p", "2"])
        .exits(2)
        .complains("error: p is not strictly between 0 and 1");
    probtest(&["sensitivity"]).exits(2).complains("--p <P>");
}
