//! The reader that ships reads as ONNX Runtime does, each pair for itself; another graph is refused.

use crate::made::Model;
use assay_models::reader::{SHA256, STATEMENT};
use assay_models::{Embedded, Error, Files, Limits, Reader, Weights, Window};
use std::path::Path;

const RETRIES: &str = "Uploads > Retries\n`--retries N` sets how often a failed upload is tried again. The default is 3. \
    With `--no-retry` a failed upload is reported at once and the command ends with code 2.";

fn shipped() -> Weights {
    Weights::Files(Files::in_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("reader")).unwrap())
}

fn reader(cores: usize) -> Reader {
    Reader::load(&shipped(), Limits { cores, ..Limits::default() }).unwrap()
}

/// A window of many lines: only its beginning fits.
fn long() -> String {
    let line =
        |at| format!(" Line {at} of the log names the file, its size and the time of the {at}th attempt.");
    RETRIES.to_owned() + &(0..40).map(line).collect::<String>()
}

#[test]
fn readings_are_those_of_onnx_runtime() {
    let long = long();
    // ONNX Runtime on the same file and tokenizer, one thread: says, open, denies, answers.
    let expected = [
        (
            RETRIES,
            "A failed upload is tried again three times unless you say otherwise.",
            [0.3365, 0.5114, 0.1521, 0.5979],
        ),
        (
            RETRIES,
            "With --no-retry a failed upload is still tried three times.",
            [0.8681, 0.0234, 0.1085, 0.8988],
        ),
        (RETRIES, "Uploads are encrypted on the client.", [0.0002, 0.9983, 0.0015, 0.0448]),
        (RETRIES, "What is the default number of retries?", [0.7404, 0.0141, 0.2455, 0.9069]),
        (RETRIES, "How do I rotate the log file?", [0.0156, 0.9335, 0.0509, 0.0129]),
        (
            RETRIES,
            "Si no se indica otra cosa, una subida fallida se repite tres veces.",
            [0.2016, 0.675, 0.1235, 0.1906],
        ),
        (
            &long,
            "The command ends with code 2 if a file cannot be uploaded and --no-retry is set.",
            [0.5455, 0.1274, 0.3271, 0.7959],
        ),
        ("The cache is cleared at midnight.", "The cache is never cleared.", [0.0048, 0.0035, 0.9916, 0.273]),
    ];
    let pairs: Vec<(Window<'_>, &str)> =
        expected.iter().map(|(window, statement, _)| (Window::of(window), *statement)).collect();
    let reader = reader(2);
    let read = reader.read(&pairs, &|| false).unwrap();
    let answers = reader.answers(&pairs, &|| false).unwrap();
    for (((_, statement, wanted), read), answers) in expected.iter().zip(read).zip(answers) {
        let found = [read.says, read.open, read.denies, answers];
        let apart = found.iter().zip(wanted).map(|(a, b): (&f32, &f32)| (a - b).abs()).fold(0.0, f32::max);
        // Each engine rounds activations at its own places, layer after layer: 0.016 is the median over 300 claims.
        assert!(apart <= 0.1, "{statement}: {found:?}, not {wanted:?}");
        assert!((read.says + read.open + read.denies - 1.0).abs() < 1e-5);
    }
}

#[test]
fn reading_is_the_same_beside_any_other_pair() {
    let long = long();
    let statements = ["The default is 3.", "The default is 5.", "Uploads are encrypted on the client."];
    let pairs: Vec<(Window<'_>, &str)> =
        [RETRIES, &long].iter().flat_map(|window| statements.map(|own| (Window::of(window), own))).collect();
    let all = reader(2).read(&pairs, &|| false).unwrap();
    let alone = reader(1);
    for (pair, expected) in pairs.iter().zip(all) {
        assert_eq!(alone.read(&[*pair], &|| false).unwrap(), [expected], "{pair:?}");
    }
}

#[test]
fn windows_and_statements_beyond_the_bounds_are_cut() {
    let reader = reader(1);
    let long = long();
    let endless = "the default is three and ".repeat(STATEMENT);
    let pairs =
        [(Window::of(&long), endless.as_str()), (Window { text: &long, joined: true }, "The default is 3.")];
    assert_eq!(reader.read(&pairs, &|| false).unwrap().len(), 2);
    // What is cut away cannot be read: the rest of the window is another one.
    let other = [(Window { text: &format!("{long} The default is 9."), joined: true }, "The default is 3.")];
    assert_eq!(reader.read(&pairs[1..], &|| false).unwrap(), reader.read(&other, &|| false).unwrap());
    assert!(matches!(reader.read(&pairs, &|| true), Err(Error::Stopped)));
    assert_eq!(reader.answers(&[], &|| false).unwrap(), [0.0; 0]);
}

#[test]
fn bytes_of_the_program_read_as_the_files_do() {
    let Weights::Files(files) = shipped() else { unreachable!() };
    let bytes = |path| &*Box::leak(std::fs::read(path).unwrap().into_boxed_slice());
    let embedded = Embedded { model: bytes(&files.model), tokenizer: bytes(&files.tokenizer) };
    let reader = Reader::embedded(embedded, Limits::default()).unwrap();
    assert_eq!(reader.digest(), SHA256);
    let pair = [(Window::of(RETRIES), "The default is 3.")];
    assert_eq!(reader.read(&pair, &|| false).unwrap(), self::reader(1).read(&pair, &|| false).unwrap());
}

#[test]
fn a_graph_with_one_head_is_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    Model { all: &[("a", [1.0, 2.0, 3.0])], config: "{}" }.write(folder.path());
    let files = Files::in_folder(folder.path()).unwrap();
    let error = Reader::load(&Weights::Files(files), Limits::default()).unwrap_err();
    assert!(error.to_string().contains("no output `answers`"), "{error}");
}
