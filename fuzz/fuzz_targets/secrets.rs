#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pbmserv_fuzz::secrets::run(bytes));
