//! The tests of the library, in one binary: linking dozens takes minutes.

#[cfg(feature = "tokio")]
mod at_once;
mod audit;
mod audit_interpreters;
mod budgets;
mod calibration;
mod common;
mod compare;
mod confidence_mean;
mod confidence_rate;
mod confirmation;
mod decisions;
mod documents;
mod estimates;
mod executions;
#[cfg(feature = "proptest")]
mod inputs;
mod journal;
mod labels;
mod machine;
mod options;
mod pacing;
mod plan_claims;
mod plan_interval;
mod plan_many_outcomes;
mod plan_oracle;
mod plan_properties;
mod plan_tolerate;
mod plan_two_outcomes;
mod programs;
mod reports;
#[cfg(feature = "shuttle")]
mod schedules;
mod shards;
mod stages;
mod story;
mod streams;
mod suites;
mod terms;
mod tolerate;
mod work;
