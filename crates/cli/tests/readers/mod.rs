//! Runs independent readers of the exported files: Python libraries, if they are installed.

use std::path::Path;
use std::process::Command;

/// Runs a Python program that needs `modules`. Prints a line and returns `false` if one of them is not
/// installed.
pub fn python(home: &Path, modules: &[&str], program: &str) -> bool {
    for module in modules {
        let found = Command::new("python3").args(["-c", &format!("import {module}")]).output();
        if !found.is_ok_and(|output| output.status.success()) {
            println!("skipped: needs python3 with {module}");
            return false;
        }
    }
    let output = Command::new("python3")
        .args(["-c", program])
        .current_dir(home)
        .env("HF_DATASETS_OFFLINE", "1")
        .env("HF_HOME", home.join("hugging-face"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}
