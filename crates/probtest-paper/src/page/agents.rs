//! The parts of the page that are about agents.

use crate::reinforcement::many::{self, Average, Curve};
use crate::reinforcement::study::{Case, Row};
use crate::reinforcement::{paper, table};

use crate::figures;

use super::{File, Line, Section, Table, Verdict};

/// The lakes: figure 3, the paper's policies, and ours.
pub fn frozen_lake(rows: &[Row], curves: &[Curve], mut files: Vec<File>) -> Section {
    let papers = paper::rows();
    files.push(File::new("published_policies.csv", paper::csv(&papers)));
    files.push(File::new("figure3_learning.csv", many::curves_csv(curves)));
    Section {
        id: "frozen-lake",
        title: "Frozen lake",
        words: vec![
            "The paper's policies come out again in Gymnasium with its seeds, so the published \
             numbers can be checked exactly. The text of the paper says 200 steps for the lake of \
             7 by 7; its numbers were made with 100. Both are here."
                .into(),
            "The figure shows the paper's agent, whose violation probability falls to 0 and stays \
             there, and the mean of agents of our own, trained with the same parameters and another \
             generator. With a constant learning rate policies keep changing, and that mean stays \
             above p. What probtest promises holds for each of them: where the violation probability \
             is p or more, it is found with probability 0.95 or more."
                .into(),
        ],
        figures: vec![figures::learning(curves, &papers)],
        tables: vec![papers_policies(&papers), own_policies("on the lakes", rows)],
        files,
    }
}

/// The cliff: how often it is found that agents fall.
pub fn cliff_walking(rows: &[Row], averages: &[Average], mut files: Vec<File>) -> Section {
    files.push(File::new("cliff_agents.csv", table::means_csv(averages)));
    Section {
        id: "cliff-walking",
        title: "Cliff walking",
        words: vec![
            "The text of the paper asks that the agent does not fall within 30 steps. Its numbers \
             were made with all 30 steps of every episode, also after the goal was reached: from there \
             the agent walks on, by an action that it never learned, and one step in three leads off \
             the cliff. Both are here. The published violations are falls after the episode was over. \
             On the way to the goal agents trained like that hardly ever can fall: that every test \
             found a violation is due to how episodes were evaluated, not to the agents."
                .into(),
            "The paper's agents explored without a seed, so nobody can train them again. But each \
             published number is a mean of 100 agents, and agents with the same slips and parameters \
             are as good as those: a row agrees when the published violation probability lies within \
             the margin of their mean, and the mean probability of finding it in the 99.9 % interval \
             of the published share. The margin is the rounding of the published number, and 99.9 % \
             of the chance in both means."
                .into(),
        ],
        figures: Vec::new(),
        tables: vec![means(averages), own_policies("beside the cliff", rows)],
        files,
    }
}

fn name(case: &Case) -> String {
    format!(
        "{} {}, {} episodes, {} steps",
        case.world.name(),
        case.name(),
        figures::grouped(case.episodes),
        case.property.steps
    )
}

fn papers_policies(rows: &[paper::Row]) -> Table {
    let line = |row: &paper::Row| {
        let why = match (row.agrees(), row.case.property.steps) {
            (true, _) => "exact lies in the 99.9 % intervals of what is published",
            (false, 200) => "the published numbers are for 100 steps",
            (false, _) => "exact lies outside the 99.9 % interval of what is published",
        };
        Line {
            cells: vec![
                name(&row.case),
                row.case.p().to_owned(),
                format!("{:.3}", row.published.violation),
                format!("{:.4}", row.exact),
                format!("{:.2}", row.published.found),
                format!("{:.4}", row.found_exact),
            ],
            verdict: Verdict::of(row.agrees()),
            why: why.to_owned(),
        }
    };
    Table {
        caption: "The paper's policies: violation probability, and the probability of finding it"
            .into(),
        heads: vec![
            "policy and property",
            "p",
            "violation, paper",
            "violation, exact",
            "found, paper",
            "found, exact",
        ],
        lines: rows.iter().map(line).collect(),
    }
}

fn means(averages: &[Average]) -> Table {
    let line = |row: &Average| Line {
        cells: vec![
            name(&row.case),
            row.case.p().to_owned(),
            format!("{:.3}", row.published.violation),
            format!("{:.4} ± {:.4}", row.violation, row.margin()),
            format!("{:.2}", row.published.found),
            format!("{:.4}", row.found),
            format!("{} of {}", row.never, row.agents),
        ],
        verdict: Verdict::of(row.agrees()),
        why: row.why().to_owned(),
    };
    let agents = averages.first().map_or(0, |row| row.agents);
    Table {
        caption: format!("The mean of {agents} agents, each computed exactly"),
        heads: vec![
            "property",
            "p",
            "violation, paper",
            "violation, mean ± margin",
            "found, paper",
            "found, mean",
            "agents that never violate",
        ],
        lines: averages.iter().map(line).collect(),
    }
}

fn own_policies(place: &str, rows: &[Row]) -> Table {
    let line = |row: &Row| {
        let (verdict, why) = judged(row);
        Line {
            cells: vec![
                name(&row.case),
                row.case.p().to_owned(),
                row.case
                    .published()
                    .map_or_else(String::new, |paper| format!("{:.3}", paper.violation)),
                format!("{:.4}", row.exact),
                format!("{:.4}", row.estimate()),
                format!("{:.4}", row.found_exact),
                format!("{:.2}", row.found_measured()),
            ],
            verdict,
            why: why.to_owned(),
        }
    };
    let (samples, repeats) = rows
        .first()
        .map_or((0, 0), |row| (row.samples, row.repeats));
    Table {
        caption: format!(
            "Our policies {place}: exact, estimated from {samples} episodes, and found in {repeats} tests"
        ),
        heads: vec![
            "policy and property",
            "p",
            "violation, paper",
            "violation, exact",
            "violation, estimate",
            "found, exact",
            "found, measured",
        ],
        lines: rows.iter().map(line).collect(),
    }
}

/// Another policy has another violation probability, so the paper says nothing
/// about ours; what can be judged is the promise.
fn judged(row: &Row) -> (Verdict, &'static str) {
    if !row.fits {
        return (
            Verdict::Differs,
            "what was measured does not fit what is exact: a fault of this program, please report it",
        );
    }
    let why = match (row.must_be_found(), row.promise_is_kept()) {
        (true, true) => "p or more, and found as promised",
        (true, false) => "p or more, and found less often than promised",
        (false, _) => "below p, so nothing is promised",
    };
    (Verdict::OtherPolicy, why)
}
