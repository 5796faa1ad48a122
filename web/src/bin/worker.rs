//! worker
fn main(){}
