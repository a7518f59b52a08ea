use probtest::probtest;

#[probtest(schedules = pct(depth = 2))]
fn schedules_need_the_feature() {}

fn main() {}
