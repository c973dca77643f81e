#[test]
fn x(){}
