//! `assay parse`: programs, code blocks, codes.

use assay_testkit::external::loudly;

use crate::{Cli, code, object, stderr};

#[test]
fn valid_program_exits_0_and_invalid_one_exits_1() {
    let cli = Cli::new();
    cli.file("good.avap", "addParam(\"name\", name)\naddResult(name)\n");
    cli.file("bad.avap", "addVar(x, 1)\ngetSHA256(x, y)\naddResult(y)\n");
    assert_eq!(code(&cli.run(&["parse", "good.avap"])), 0);
    let bad = cli.run(&["parse", "bad.avap", "--json"]);
    assert_eq!(code(&bad), 1);
    let first = &object(&bad)["diagnostics"][0];
    assert_eq!((first["line"].as_u64(), first["category"].as_str()), (Some(2), Some("unknown_token")));
    assert!(first.to_string().contains("encodeSHA256"), "{first}");
}

#[test]
fn unreadable_file_does_not_end_the_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let cli = Cli::new();
    let folder = cli.dir.path().join("programs");
    std::fs::create_dir(&folder).unwrap();
    cli.file("programs/one.avap", "addResult(1)\n");
    cli.file("programs/two.avap", "if(x, 1, \"==\")\n");
    cli.file("programs/notes.md", "no program");
    let sarif = cli.run(&["parse", "missing.avap", "programs", "--format", "sarif"]);
    assert_eq!(code(&sarif), 1);
    assert!(stderr(&sarif).contains("missing.avap"), "{}", stderr(&sarif));
    assert!(object(&sarif).to_string().contains("two.avap"), "{}", object(&sarif));
    let told = cli.run(&["parse", "missing.avap", "programs"]);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        text.contains("one.avap: valid") && text.contains("two.avap: INVALID") && !text.contains("notes"),
        "{text}"
    );
    // A program that may not be written stays as it is, and so do the permissions of one that may.
    cli.file("kept.avap", "x=1\naddResult(x)\n");
    let kept = cli.dir.path().join("kept.avap");
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o444)).unwrap();
    let refused = cli.run(&["fmt", "kept.avap"]);
    assert_eq!(code(&refused), 1, "{}", stderr(&refused));
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "x=1\naddResult(x)\n");
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(code(&cli.run(&["fmt", "missing.avap", "kept.avap"])), 1);
    // One that may not be written does not keep the next from being laid out.
    cli.file("sealed.avap", "x=1\naddResult(x)\n");
    let sealed = cli.dir.path().join("sealed.avap");
    std::fs::set_permissions(&sealed, std::fs::Permissions::from_mode(0o444)).unwrap();
    cli.file("next.avap", "x=1\naddResult(x)\n");
    assert_eq!(code(&cli.run(&["fmt", "sealed.avap", "next.avap"])), 1);
    assert_eq!(std::fs::read_to_string(cli.dir.path().join("next.avap")).unwrap(), "x = 1\naddResult(x)\n");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "x = 1\naddResult(x)\n");
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn code_blocks_of_markdown_are_judged_in_place() {
    let cli = Cli::new();
    let text = "# A\n\n- item\n\n  ```avap\n  x = 1\n  getSHA256(x, y)\n  addResult(y)\n  ```\n\n> ```python\n> x = (1\n> ```\n\n```text\nfree\n```\n\n```kotlin\nval x\n```\n";
    cli.file("a.md", text);
    let told = cli.run(&["parse", "a.md", "--format", "trace"]);
    assert_eq!(code(&told), 1);
    assert_eq!(
        String::from_utf8_lossy(&told.stdout),
        "Line 7: unknown command 'getSHA256' — did you mean 'encodeSHA256'?\nLine 12: '(' is not closed, after 'x ='\n"
    );
    let parsed = object(&cli.run(&["parse", "a.md", "--json"]));
    let states: Vec<&str> =
        parsed["blocks"].as_array().unwrap().iter().filter_map(|b| b["state"].as_str()).collect();
    assert_eq!(states, ["INVALID", "INVALID", "NO_GRAMMAR"]);
    let places: Vec<(u64, u64)> = parsed["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["line"].as_u64().unwrap(), d["column"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [(7, 3), (12, 7)]);
    let plain = cli.run(&["parse", "a.md"]);
    assert!(String::from_utf8_lossy(&plain.stdout).contains("a.md: INVALID (3 code blocks)"));
    assert!(!String::from_utf8_lossy(&plain.stdout).contains('\u{1b}'));
    cli.file("good.md", "```json\n[1]\n```\n");
    assert_eq!(code(&cli.run(&["parse", "good.md"])), 0);
}

#[test]
fn folder_is_walked_once_and_an_empty_one_reported() {
    let cli = Cli::new();
    let folder = cli.dir.path().join("programs");
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    cli.file("programs/b.avap", "addResult(1)\n");
    cli.file("programs/deep/a.avap", "addResult(1)\n");
    // Links that lead back would be walked for ever, or twice to the power of their depth.
    for name in ["one", "two"] {
        std::os::unix::fs::symlink(&folder, folder.join(name)).unwrap();
    }
    let parsed = cli.run(&["parse", "programs", "--profile", "core,full"]);
    assert_eq!(code(&parsed), 0, "{}", stderr(&parsed));
    let told = String::from_utf8_lossy(&parsed.stdout).into_owned();
    assert_eq!(told, "programs/b.avap: valid\nprograms/deep/a.avap: valid\n");
    std::fs::create_dir(cli.dir.path().join("empty")).unwrap();
    let empty = cli.run(&["parse", "empty"]);
    assert!(stderr(&empty).contains("no .avap file below empty"), "{}", stderr(&empty));
}

#[test]
fn a_code_of_any_language_is_explained() {
    let cli = Cli::new();
    for (code, words) in [
        ("AVAP018", "A block is not closed"),
        ("avap018", "A block is not closed"),
        ("PY003", "is not closed"),
    ] {
        let told = cli.run(&["parse", "--explain", code]);
        assert_eq!(crate::code(&told), 0, "{code} {}", stderr(&told));
        assert!(String::from_utf8_lossy(&told.stdout).contains(words), "{code}");
    }
    let unknown = cli.run(&["parse", "--explain", "PY999"]);
    assert_eq!(code(&unknown), 1);
    assert!(stderr(&unknown).contains("AVAP001"), "{}", stderr(&unknown));
    cli.file("a.py", "x = (1\n");
    let sarif = object(&cli.run(&["parse", "a.py", "--format", "sarif"]));
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][0];
    assert_eq!(rule["id"], "PY003");
    assert!(rule["shortDescription"]["text"].as_str().unwrap().contains("not closed"), "{rule}");
}

#[test]
fn oversized_file_is_named_and_the_others_are_read() {
    let cli = Cli::new();
    let long = format!("```avap\n{}```\n", "addResult(1)\n".repeat(400_000));
    cli.file("long.md", &long);
    cli.file("long.avap", &"// a comment\n".repeat(400_000));
    cli.file("short.avap", "addResult(1)\n");
    let told = cli.run(&["parse", "long.md", "long.avap", "short.avap"]);
    assert_eq!(code(&told), 1, "{}", stderr(&told));
    for name in ["long.md: ", "long.avap: "] {
        assert!(stderr(&told).contains(name), "{}", stderr(&told));
    }
    assert_eq!(String::from_utf8_lossy(&told.stdout), "short.avap: valid\n");
    // Neither does one end the run that never ends.
    let endless = cli.run(&["parse", "/dev/zero", "short.avap", "--language", "avap"]);
    assert!(stderr(&endless).contains("/dev/zero has more than"), "{}", stderr(&endless));
    assert_eq!(String::from_utf8_lossy(&endless.stdout), "short.avap: valid\n");
}

#[test]
fn a_line_may_end_with_a_carriage_return_alone() {
    let cli = Cli::new();
    cli.file("mac.avap", "x = 1\rgetSHA256(x, y)\raddResult(y)\r");
    let told = cli.run(&["parse", "mac.avap"]);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        text.contains("mac.avap:2:1: error") && text.contains("    getSHA256(x, y)\n    ^^^^^^^^^\n"),
        "{text}"
    );
    std::fs::write(cli.dir.path().join("broken.avap"), b"x = 1\ry = \"\xff\"\r").unwrap();
    let broken = cli.run(&["parse", "broken.avap"]);
    assert!(stderr(&broken).contains("0xFF on line 2"), "{}", stderr(&broken));
}

#[test]
fn unreadable_folder_does_not_end_the_run() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let cli = Cli::new();
    let folder = |name: &str, mode: u32| {
        let path = cli.dir.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let sealed = folder("programs/sealed", 0o000);
    for name in ["programs", "."] {
        folder(name, 0o755);
    }
    cli.file("programs/a.avap", "addResult(1)\n");
    for args in [&["parse", "programs"][..], &["fmt", "--check", "programs"]] {
        let mut command = cli.command(args);
        if std::fs::read_dir(&sealed).is_ok() {
            // Nothing is sealed for the user who runs this.
            command.uid(65_534);
        }
        let Ok(output) = command.output() else {
            loudly(format_args!("SKIPPED: the binary cannot be run as another user here"));
            break;
        };
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("cannot read programs/sealed: Permission denied"),
            "{}",
            stderr(&output)
        );
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(told.contains("a.avap: valid"), args[0] == "parse", "{told}");
    }
    std::fs::set_permissions(&sealed, std::fs::Permissions::from_mode(0o755)).unwrap();
}
