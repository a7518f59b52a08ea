use probtest::probtest;

#[probtest(schedules = "random")]
fn schedules_are_no_text() {}

#[probtest(schedules = pct(2))]
fn the_depth_has_a_name() {}

#[probtest(schedules = pct(deep = 2))]
fn the_depth_has_another_name() {}

#[probtest(schedules = pct(depth =))]
fn the_depth_has_no_value() {}

fn main() {}
