#![allow(dead_code, unused)]
mod plain; mod said_phrases; mod said;
#[cfg(test)] mod t;
fn main(){}
