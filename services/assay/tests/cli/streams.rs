//! `assay ask --stream` over a scripted model.

use assay_testkit::model_server::{ModelServer, Reply};

use crate::{Cli, code, stderr};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_of_a_rejected_answer_is_printed_once() {
    let cli = Cli::new();
    cli.file(
        "importer.md",
        "# Importer\n\nThe importer skips empty rows.\n\nIt stops after one hundred errors.\n",
    );
    assert_eq!(code(&cli.run(&["ingest", "importer.md"])), 0);
    let answer =
        "The importer skips empty rows [^1].\n\nIt stops after seven errors [^1].\n\nDogs fly at night [^1].";
    let model = ModelServer::start(vec![Reply::Text(answer.to_owned())]).await.unwrap();
    let asked = cli
        .command(&["ask", "--stream", "--type", "RETRIEVAL", "When does the importer stop?"])
        .env("OPENAI_BASE_URL", model.base_url())
        .env("ASSAY_GENERATION__MAIN", "openai:m")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&asked.stdout).into_owned();
    assert_eq!(code(&asked), 3, "{printed} {}", stderr(&asked));
    let (_, last) = printed.rsplit_once("withdrawn").expect("both attempts fail");
    assert_eq!(last.matches("The importer skips empty rows").count(), 1, "{printed}");
}
